const form = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|([^.]+\.)*localhost)$/

/** Whether a host, as `URL` spells it, is always this very machine. */
export const isLoopbackName = (hostname: string): boolean => form.test(hostname)
