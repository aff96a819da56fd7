/**
 * The only fields of an error that are logged. PostgreSQL puts rows and values into `detail`, `where` and `internalQuery`,
 * and the errors of libraries contain whole requests and responses.
 */
const fields = ['code', 'table', 'column', 'constraint', 'routine'] as const
/** An error may be its own cause. */
const maxCauses = 3

type LoggedError = { type: string; message: string; stack: string; [field: string]: unknown }

export function toLoggedError(error: unknown, causes = maxCauses): LoggedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is not an Error was thrown', stack: '' }
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

/** The messages of class 22 (data exceptions) quote the value. */
const toLoggedMessage = ({ message, code }: Error & { code?: unknown }): string =>
  /^22[0-9A-Z]{3}$/.test(String(code)) ? message.replace(/".*"/s, '"…"') : message
