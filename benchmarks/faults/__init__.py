"""Faults on purpose: kills, damage, full disks, lost servers, second writers and random input, with what was lost."""
