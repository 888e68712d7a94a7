"""Amounts of memory, vcores and further resource types.

resource         Resource
resource_types   which types there are; resources as text
units            Mi, G, k: conversion of amounts
node_resources   what a node offers
"""
