/** For what programs do by themselves. */
export const patience = { timeout: 30_000, interval: 50 }
