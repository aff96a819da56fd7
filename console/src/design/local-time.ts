/** What a field of a date and time holds, in the reader's zone; milliseconds since 1970. */
export function toLocal(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}

/** As the interface takes it; undefined where the field is empty. */
export function fromLocal(text: string): string | undefined {
  const ms = new Date(text).getTime()
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}
