import type { Progress } from '../../../operator/move/index.ts'
import type { Config } from '../../config.ts'
import type { Output } from '../command-output.ts'

export type Command = { config: Config; output: Output }
export type OfOrganization = Command & { organizationId: string }

export function passphraseOf({ movePassphrase }: Config): string {
  if (!movePassphrase) throw new Error('SIGNET_MOVE_PASSPHRASE: is required; the same at both cells')
  return movePassphrase
}

/** Between two lines of progress of the same kind. */
const progressEveryMs = 1_000

/** A line for each step, and now and then one of a step that counts. */
export function showSteps(output: Output): Progress {
  let shown = ''
  let shownAt = Number.NEGATIVE_INFINITY
  return (step) => {
    const kind = step.replace(/\d+/g, '')
    if (kind === shown && performance.now() - shownAt < progressEveryMs) return
    shown = kind
    shownAt = performance.now()
    void output.show({ type: 'progress', step }, step)
  }
}
