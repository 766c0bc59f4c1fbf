"""A corpus of any size, cut into shards that are parsed one by one, wherever there is a worker."""
