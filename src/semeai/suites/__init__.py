"""Suites of positions with the moves that are wanted: how many does a player solve?"""
