"""What can be proved afterwards: audits, reports, seals."""
