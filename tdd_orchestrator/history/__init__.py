"""History and analytics: an index of the notes, thrown away and rebuilt at any time, and what is computed
from it."""
