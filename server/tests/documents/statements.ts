import { spawnSync } from 'node:child_process'

/** The statements of a block, as a shell reads them: each may have several lines, such as a loop or a text up to its `END`. */
export function statementsOf(commands: string): string[] {
  const statements: string[] = []
  let open = ''
  for (const line of commands.split('\n')) {
    open = open ? `${open}\n${line}` : line
    if (!isWhole(open)) continue
    if (!/^\s*(#.*)?$/.test(open)) statements.push(open)
    open = ''
  }
  if (open.trim()) throw new Error(`is no whole statement: ${open}`)
  return statements
}

/** A shell complains of what is missing; of a text without its end it only warns. */
export function isWhole(text: string): boolean {
  if (/(^|[^\\])\\$/.test(text)) return false
  const { status, stderr } = spawnSync('bash', ['-n'], { input: `${text}\n`, encoding: 'utf8' })
  return status === 0 && stderr === ''
}
