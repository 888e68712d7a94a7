"""The CapacityScheduler by itself: limits as tables of numbers, settings, random trees."""
