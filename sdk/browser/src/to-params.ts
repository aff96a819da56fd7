/** Leaves out undefined values, which URLSearchParams would send as the text `undefined`. */
export const toParams = (fields: Record<string, string | undefined>): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined))
