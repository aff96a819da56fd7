/** Five characters, as PostgreSQL's manual lists them; or the operating system's word. */
export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code

/** Whether `error` is the violation of that constraint (a unique key, a foreign key, a check). */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string } | undefined)?.constraint === constraint
