"""Reports: each as frozen data, and apart from it as a PDF. Never reads the database."""
