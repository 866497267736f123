"""The demo's material: a kata repository and a recording of agents at work, mistakes included."""
