/** What commands use of the `Output` of `@signet/cli`, whose own types need those of a browser. */
export type Output = {
  isJson: boolean
  line(text: string): Promise<void>
  /** Beside the result. */
  note(text: string): Promise<void>
  record(record: Printed): Promise<void>
  /** The record with `--json`, else the text. */
  show(record: Printed, text: string): Promise<void>
}

type Printed = { type: string; [member: string]: unknown }
