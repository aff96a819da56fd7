import { SignetError } from '@signet/management'
import { explainForeign } from './foreign-reply.ts'

export type Problems = {
  /** By the name of the field; only of fields that the form has. */
  ofFields: Record<string, string[]>
  /** What belongs to no field of the form. */
  others: string[]
}

/** A field whose name in the form is that of its path in the body, or another one. */
export type FormField = string | readonly [path: string, name: string]

/** Sorts what is wrong by the fields of a form: a message begins with the path of its field, such as `handles[0].value: …`. */
export function problemsOf(error: unknown, fields: readonly FormField[]): Problems {
  const named = fields.map((field) => (typeof field === 'string' ? ([field, field] as const) : field))
  const problems: Problems = { ofFields: {}, others: [] }
  for (const message of messagesOf(error)) {
    const found = named.find(([path]) => message.startsWith(path) && /^[:.[]/.test(message.slice(path.length)))
    if (found) problems.ofFields[found[1]] = [...(problems.ofFields[found[1]] ?? []), sentence(message, found[0])]
    else problems.others.push(message)
  }
  return problems
}

const unanswered = 'Signet does not answer. Check the connection, and whether Signet is running.'

export function messagesOf(error: unknown): string[] {
  if (error instanceof SignetError && error.isForeign) return Object.values(explainForeign(error))
  if (error instanceof SignetError && error.status === undefined) return [unanswered]
  const messages = error instanceof SignetError ? error.errors.map(({ message }) => message) : []
  return messages.length > 0 ? messages : [error instanceof Error ? error.message : String(error)]
}

/** Beside its field, `name: is required` need not repeat the name. */
function sentence(message: string, field: string) {
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
}
