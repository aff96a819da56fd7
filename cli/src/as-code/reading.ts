import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'
import type { Problem } from './problems.ts'
import { shown } from './shown.ts'
import { type Environment, expand, unsetRule } from './variables.ts'

/** A node of a file and the name of its place, such as `webhooks[0].timeout`. */
export type Location = { node: Node | null; path: string }
export type Members = Map<string, Location & { key: Node }>

/** A text with a variable that has no value. */
export type Unset = { refuse: () => void }

export const isUnset = (value: unknown): value is Unset =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Unset>).refuse === 'function'

/** Reads the nodes of a file as what they must be. What is not gives undefined and a problem. */
export class Reading {
  readonly #lines: LineCounter
  readonly #environment: Environment
  readonly #problems: Problem[]
  #variables = 0

  constructor(lines: LineCounter, environment: Environment, problems: Problem[]) {
    this.#lines = lines
    this.#environment = environment
    this.#problems = problems
  }

  /** Those that were met so far, so that whoever reads a member knows whether it holds one. */
  get variables(): number {
    return this.#variables
  }

  refuse({ node, path }: Location, rule: string): undefined {
    const { line, col } = this.#lines.linePos(node?.range?.[0] ?? 0)
    this.#problems.push({ line, column: col, message: path ? `${path}: ${rule}` : rule })
  }

  text(location: Location, rule?: string): string | undefined {
    const found = this.secretText(location, rule)
    if (!isUnset(found)) return found
    found.refuse()
    return undefined
  }

  /** Of what may not have to be sent: a variable without a value is refused only where it would be. */
  secretText(location: Location, rule = 'must be text'): string | Unset | undefined {
    if (!this.#isPlain(location)) return undefined
    const { node } = location
    if (!isScalar(node) || typeof node.value !== 'string') return this.refuse(location, `${rule}${hintOfQuotes(node)}`)
    const { text, problems, unset, hasVariable } = expand(node.value, this.#environment)
    if (hasVariable) this.#variables++
    for (const problem of problems) this.refuse(location, problem)
    if (problems.length > 0) return undefined
    const refuse = () => {
      for (const name of unset) this.refuse(location, unsetRule(name))
    }
    return unset.length === 0 ? text : { refuse }
  }

  scalar(location: Location): unknown {
    return this.#isPlain(location) && isScalar(location.node) ? location.node.value : undefined
  }

  isNull({ node }: Location): boolean {
    return isScalar(node) && node.value === null
  }

  list(location: Location, rule = 'must be a list'): Location[] | undefined {
    const { node, path } = location
    if (!this.#isPlain(location)) return undefined
    if (!isSeq(node)) return this.refuse(location, rule)
    return node.items.map((item, index) => ({ node: item as Node | null, path: `${path}[${index}]` }))
  }

  /** With any names where `allowed` is absent. */
  members(location: Location, allowed?: readonly string[], rule = 'must be a map'): Members | undefined {
    if (!this.#isPlain(location)) return undefined
    if (!isMap(location.node)) return this.refuse(location, rule)
    const found: Members = new Map()
    for (const { key, value } of location.node.items as Pair<Node, Node | null>[]) {
      const name = isScalar(key) ? String(key.value) : ''
      const at = { node: key, path: location.path ? `${location.path}.${shownName(name)}` : shownName(name) }
      if (!this.#isPlain(at)) continue
      if (allowed && !allowed.includes(name)) this.refuse(at, `is not known here; known are ${allowed.join(', ')}`)
      else found.set(name, { key, path: at.path, node: value ?? key })
    }
    return found
  }

  /** Anchors would let a small file become a large one; a tag says to some parsers what it does not say to others. */
  #isPlain(location: Location): boolean {
    const { node } = location
    if (isAlias(node)) this.refuse(location, 'must be written out: aliases are not taken')
    else if (node && 'anchor' in node && node.anchor) this.refuse(location, 'must not have an anchor')
    else if (node?.tag) this.refuse(location, 'must not have a tag')
    else return true
    return false
  }
}

/** `yes` is text, `5` and `true` are not. */
function hintOfQuotes(node: Node | null): string {
  const isOther = isScalar(node) && ['number', 'boolean', 'bigint'].includes(typeof node.value)
  return isOther
    ? `: ${shown(node.source ?? node.value)} is read as a ${typeof (node.value as unknown)}, put it in quotes`
    : ''
}

const shownName = (name: string) => (/^[\w-]+$/.test(name) ? name : shown(name))
