"""From models and sentences to trees."""
