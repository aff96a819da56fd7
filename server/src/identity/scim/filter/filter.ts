import type { Path } from '../schema/attributes.ts'

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/** `present`: `pr`. `among`: a value path; the paths of its filter begin within that attribute. `emails eq "x"` is `emails.value eq "x"`. */
export type Filter =
  | { is: 'and' | 'or'; of: Filter[] }
  | { is: 'not'; of: Filter }
  | { is: 'compare'; path: Path; operator: Operator; value: string | number | boolean | null }
  | { is: 'present'; path: Path }
  | { is: 'among'; path: Path; filter: Filter }
