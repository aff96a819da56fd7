import { chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const isRoot = process.getuid?.() === 0
/** `nobody` of Debian and others: it owns nothing on the machine. */
const nobody = 65_534

export const userOfTrials = isRoot ? `the user ${nobody}` : 'the user of the rehearsal'

/** Programs of a trial run as another user than root. */
export const asUser = (command: string[]): string[] =>
  isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...command] : command

/** The folder, and what is in it at its top. */
export function giveToUser(folder: string) {
  if (!isRoot) return
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(path, nobody, nobody)
}
