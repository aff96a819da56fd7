import { inject } from 'vitest'
import type { Binaries } from '../../src/ground/database/embedded/binaries.ts'
import { programsIn } from './stock-postgres.ts'

/** What servers that a test makes itself are made of, beside a server that was given; undefined: the embedded programs. */
export function givenPrograms(): Binaries | undefined {
  const folder = inject('programs')
  return folder === undefined ? undefined : programsIn(folder)
}
