"""Trees to action sequences and back, and the machine that says which action may come next."""
