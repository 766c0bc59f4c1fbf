"""From a model and sentences to trees."""
