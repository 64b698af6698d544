"""Files from elsewhere: fetched once, checked, kept in the cache; presets by name."""
