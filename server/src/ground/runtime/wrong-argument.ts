/** A mistake in what a command was given, an argument, a setting or a file: it ends with the code of a wrong command line. */
export const wrongArgument = (message: string) => Object.assign(new Error(message), { exitCode: 2 })
