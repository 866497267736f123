# GREEN: exit 0 with no change

