/**
 * How an error gets into the log, whoever writes it: by these fields and no others. PostgreSQL tells rows and values in
 * `detail`, `where` and `internalQuery`, and libraries carry whole requests and answers.
 */
const fields = ['code', 'table', 'column', 'constraint', 'routine'] as const
/** An error may be its own cause. */
const maxCauses = 3

type LoggedError = { type: string; message: string; stack: string; [field: string]: unknown }

export function toLoggedError(error: unknown, causes = maxCauses): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'was thrown, and is no error', stack: '' }
  const message = toLoggedMessage(error)
  const { cause, stack = '' } = error
  return {
    type: error.constructor.name,
    message,
    stack: stack.replace(error.message, () => message),
    ...Object.fromEntries(fields.flatMap((name) => (name in error ? [[name, error[name as keyof Error]]] : []))),
    ...(cause !== undefined && causes > 0 && { cause: toLoggedError(cause, causes - 1) }),
  }
}

/** Of class 22 (data exceptions) even the message quotes the value. */
const toLoggedMessage = ({ message, code }: Error & { code?: unknown }): string =>
  /^22[0-9A-Z]{3}$/.test(String(code)) ? message.replace(/".*"/s, '"…"') : message
