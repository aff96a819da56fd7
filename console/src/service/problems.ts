import { SignetError } from '@signet/management'

export type Problems = {
  /** By the name of the field; only of fields that the form has. */
  ofFields: Record<string, string[]>
  /** What belongs to no field of the form. */
  others: string[]
}

/** Sorts what is wrong by the fields of a form: a message begins with the path of its field, such as `handles[0].value: …`. */
export function problemsOf(error: unknown, fields: readonly string[]): Problems {
  const problems: Problems = { ofFields: {}, others: [] }
  for (const message of messagesOf(error)) {
    const field = fields.find((name) => message.startsWith(name) && /^[:.[]/.test(message.slice(name.length)))
    if (field) problems.ofFields[field] = [...(problems.ofFields[field] ?? []), sentence(message, field)]
    else problems.others.push(message)
  }
  return problems
}

export function messagesOf(error: unknown): string[] {
  const messages = error instanceof SignetError ? error.errors.map(({ message }) => message) : []
  return messages.length > 0 ? messages : [error instanceof Error ? error.message : String(error)]
}

/** Beside its field, `name: is required` need not repeat the name. */
function sentence(message: string, field: string) {
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
}
