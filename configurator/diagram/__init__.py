"""Pictures as plain data: boxes, edges and labels with classes, laid out once for the screen and the PDF. No Qt."""
