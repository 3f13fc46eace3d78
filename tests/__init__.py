"""Tests: sentences about the floor. The folders mirror the house; stories/ tells whole shifts."""
