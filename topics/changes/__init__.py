"""Changes of the pages that people watch: starred pages and seeds."""
