/** `unknown`: could not be checked from here, which is nothing wrong by itself. */
export type Finding = { check: string; result: 'ok' | 'warning' | 'wrong' | 'unknown'; message: string }

export const finding = (check: string, result: Finding['result'], message: string): Finding => ({
  check,
  result,
  message,
})
