import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'
import type { Problem } from './problems.ts'
import { shown } from './shown.ts'
import { type Environment, expand } from './variables.ts'

/** A node of a file and the name of its place, such as `webhooks[0].timeout`. */
export type Spot = { node: Node | null; path: string }
export type Members = Map<string, Spot & { key: Node }>

/**
 * Reads the nodes of a file as what they must be. What is not gives undefined and a problem. `variables` counts those that were
 * met, so that whoever reads a member knows whether it holds one.
 */
export function createReading(lines: LineCounter, environment: Environment) {
  const problems: Problem[] = []
  let variables = 0

  const refuse = ({ node, path }: Spot, rule: string): undefined => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0)
    problems.push({ line, column: col, message: path ? `${path}: ${rule}` : rule })
  }

  /** Anchors would let a small file become a large one; a tag says to some parsers what it does not say to others. */
  const isPlain = (spot: Spot): boolean => {
    const { node } = spot
    if (isAlias(node)) refuse(spot, 'must be written out: aliases are not taken')
    else if (node && 'anchor' in node && node.anchor) refuse(spot, 'must not have an anchor')
    else if (node?.tag) refuse(spot, 'must not have a tag')
    else return true
    return false
  }

  const text = (spot: Spot, rule = 'must be text'): string | undefined => {
    if (!isPlain(spot)) return undefined
    if (!isScalar(spot.node) || typeof spot.node.value !== 'string')
      return refuse(spot, `${rule}${hintOfQuotes(spot.node)}`)
    const expanded = expand(spot.node.value, environment)
    if (expanded.hasVariable) variables++
    for (const problem of expanded.problems) refuse(spot, problem)
    return expanded.problems.length > 0 ? undefined : expanded.text
  }

  const scalar = (spot: Spot): unknown => (isPlain(spot) && isScalar(spot.node) ? spot.node.value : undefined)

  const list = (spot: Spot, rule = 'must be a list'): Spot[] | undefined => {
    if (!isPlain(spot)) return undefined
    if (!isSeq(spot.node)) return refuse(spot, rule)
    return spot.node.items.map((node, index) => ({ node: node as Node | null, path: `${spot.path}[${index}]` }))
  }

  /** With any names where `allowed` is absent. */
  const members = (spot: Spot, allowed?: readonly string[], rule = 'must be a map'): Members | undefined => {
    if (!isPlain(spot)) return undefined
    if (!isMap(spot.node)) return refuse(spot, rule)
    const found: Members = new Map()
    for (const { key, value } of spot.node.items as Pair<Node, Node | null>[]) {
      const name = isScalar(key) ? String(key.value) : ''
      const at = { node: key, path: spot.path ? `${spot.path}.${shownName(name)}` : shownName(name) }
      if (!isPlain(at)) continue
      if (allowed && !allowed.includes(name)) refuse(at, `is not known here; known are ${allowed.join(', ')}`)
      else found.set(name, { key, path: at.path, node: value ?? key })
    }
    return found
  }

  return { problems, refuse, text, scalar, list, members, countVariables: () => variables }
}

export type Reading = ReturnType<typeof createReading>

/** `yes` is text, `5` and `true` are not. */
function hintOfQuotes(node: Node | null): string {
  const isOther = isScalar(node) && ['number', 'boolean', 'bigint'].includes(typeof node.value)
  return isOther
    ? `: ${shown(node.source ?? node.value)} is read as a ${typeof (node.value as unknown)}, put it in quotes`
    : ''
}

const shownName = (name: string) => (/^[\w-]+$/.test(name) ? name : shown(name))
