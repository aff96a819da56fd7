/** What a shell knows as ended by Ctrl-C. */
const exitCode = 130

export const stopped = () => Object.assign(new Error('stopped; nothing of it is left'), { exitCode })
