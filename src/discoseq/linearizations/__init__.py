"""Trees to action sequences and back, and the machine that says which actions are allowed next."""
