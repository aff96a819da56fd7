/** Node with these arguments in place of this process, so that signals reach it, and no second process stays in memory. */
export const continueAs = (args: string[]) =>
  process.execve?.(process.execPath, [process.execPath, ...args], process.env)
