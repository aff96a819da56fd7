/** Without what is not given, which would be sent as the word `undefined`. */
export const toParams = (fields: Record<string, string | undefined>): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined))
