import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'
import type { Problem } from './problems.ts'
import { shown } from './shown.ts'
import { type Environment, expand } from './variables.ts'

/** A node of a file and the name of its place, such as `webhooks[0].timeout`. */
export type Location = { node: Node | null; path: string }
export type Members = Map<string, Location & { key: Node }>

/**
 * Reads the nodes of a file as what they must be. What is not gives undefined and a problem. `variables` counts those that were
 * met, so that whoever reads a member knows whether it holds one.
 */
export function createReading(lines: LineCounter, environment: Environment, problems: Problem[]) {
  let variables = 0

  const refuse = ({ node, path }: Location, rule: string): undefined => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0)
    problems.push({ line, column: col, message: path ? `${path}: ${rule}` : rule })
  }

  /** Anchors would let a small file become a large one; a tag says to some parsers what it does not say to others. */
  const isPlain = (location: Location): boolean => {
    const { node } = location
    if (isAlias(node)) refuse(location, 'must be written out: aliases are not taken')
    else if (node && 'anchor' in node && node.anchor) refuse(location, 'must not have an anchor')
    else if (node?.tag) refuse(location, 'must not have a tag')
    else return true
    return false
  }

  const text = (location: Location, rule = 'must be text'): string | undefined => {
    if (!isPlain(location)) return undefined
    if (!isScalar(location.node) || typeof location.node.value !== 'string')
      return refuse(location, `${rule}${hintOfQuotes(location.node)}`)
    const expanded = expand(location.node.value, environment)
    if (expanded.hasVariable) variables++
    for (const problem of expanded.problems) refuse(location, problem)
    return expanded.problems.length > 0 ? undefined : expanded.text
  }

  const scalar = (location: Location): unknown =>
    isPlain(location) && isScalar(location.node) ? location.node.value : undefined

  const list = (location: Location, rule = 'must be a list'): Location[] | undefined => {
    if (!isPlain(location)) return undefined
    if (!isSeq(location.node)) return refuse(location, rule)
    return location.node.items.map((node, index) => ({ node: node as Node | null, path: `${location.path}[${index}]` }))
  }

  /** With any names where `allowed` is absent. */
  const members = (location: Location, allowed?: readonly string[], rule = 'must be a map'): Members | undefined => {
    if (!isPlain(location)) return undefined
    if (!isMap(location.node)) return refuse(location, rule)
    const found: Members = new Map()
    for (const { key, value } of location.node.items as Pair<Node, Node | null>[]) {
      const name = isScalar(key) ? String(key.value) : ''
      const at = { node: key, path: location.path ? `${location.path}.${shownName(name)}` : shownName(name) }
      if (!isPlain(at)) continue
      if (allowed && !allowed.includes(name)) refuse(at, `is not known here; known are ${allowed.join(', ')}`)
      else found.set(name, { key, path: at.path, node: value ?? key })
    }
    return found
  }

  return { refuse, text, scalar, list, members, countVariables: () => variables }
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
