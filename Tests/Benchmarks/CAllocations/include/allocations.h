#pragma once

/* Calls of malloc, calloc, realloc, aligned_alloc, memalign and posix_memalign in this process so far. */
unsigned long nlos_allocations(void);

/* The bytes that they asked for. */
unsigned long nlos_allocated_bytes(void);
