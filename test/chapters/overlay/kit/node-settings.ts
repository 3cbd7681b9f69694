// What every node of a test has of the overlay unless it says otherwise: a free port, and no first addresses.

export const settings = { 'ipv8.port': 0, 'ipv8.bootstrap_override': ':' } as const
