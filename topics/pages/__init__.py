"""Pages as people read them: lists of news, rows, reasons and extracts."""
