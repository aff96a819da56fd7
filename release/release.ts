import type { Copy } from './copy.ts'
import type { Journal } from './journal.ts'
import type { Registry } from './registry.ts'
import type { Workplace } from './workplace.ts'

/** What every step knows. */
export type Release = {
  copy: Copy
  /** Where the artifacts are made. */
  folder: string
  registry: Registry
  place: Workplace
  journal: Journal
}
