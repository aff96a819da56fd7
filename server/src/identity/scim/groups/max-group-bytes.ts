/** Of a request: 100,000 members as verbose as clients send them. */
export const maxGroupBytes = 16 * 1024 * 1024
