import { Type } from 'typebox'
import { badRequest, type Fault } from '../../../ground/errors.ts'
import { roles } from '../../../ground/http/chain/roles.ts'
import { closed, rule } from '../../../ground/http/chain/schemas.ts'
import type { KeptGroup } from '../kept-groups.ts'
import type { ConsoleAccess as Given } from './console-access-store.ts'

const maxGroups = 20

export const ConsoleAccess = Type.Array(
  closed({
    group: Type.String({
      description: 'The name of a group that exists, and that no directory has made.',
      examples: ['engineering'],
    }),
    role: Type.Enum([...roles], {
      ...rule(`must be one of ${roles.join(', ')}`),
      description:
        'What its members may do in the console. `owner`: all that an admin key may; `editor`: read all, and change groups, persons, ' +
        'webhooks, applications, events and deliveries; `support`: read all, deliver again, end sessions of persons and test sign-ins; ' +
        '`reader`: read all.',
      examples: ['owner'],
    }),
  }),
  {
    maxItems: maxGroups,
    ...rule(`must be an array of at most ${maxGroups} groups with their roles`),
    description:
      `The groups whose members enter the console, at most ${maxGroups}, each with its role; a person in several has what all of them ` +
      'may. In byte order. Only admin keys and owners change it, and the members of these groups.',
    examples: [[{ group: 'engineering', role: 'owner' }]],
  },
)

type Access = ({ group?: string | undefined } | undefined)[]

/** Throws a 400 that names each group that is there twice. */
export function refuseRepeated(access: Access) {
  const names = access.map((each) => each?.group)
  refuse('invalid_value', names, (name, index) => {
    const first = names.indexOf(name)
    return first < index ? `is the same as console_access[${first}].group` : undefined
  })
}

/** Throws a 400 that names each group that is not among those that exist. */
export const refuseMissing = (access: Access, existing: string[]) =>
  refuse(
    'unknown_reference',
    access.map((each) => each?.group),
    (name) => (existing.includes(name) ? undefined : `${name} does not exist`),
  )

/**
 * Throws a 400 that names each group that a directory has made: whoever runs the directory would say who enters the console. One that was
 * there before, and that an admin key or owner has tied to a directory, is theirs to name.
 */
export const refuseMadeByDirectories = (access: Access, kept: KeptGroup[]) =>
  refuse(
    'group_kept_by_directory',
    access.map((each) => each?.group),
    (name) => {
      const made = kept.find(({ group, tied }) => group === name && !tied)
      return (
        made &&
        `${name} is made by the directory ${made.directory}; name a group of your own, and tie the directory's to it`
      )
    },
  )

type FindFault = (name: string, index: number) => string | undefined

function refuse(code: Fault['code'], names: (string | undefined)[], findFault: FindFault) {
  const problems = names.flatMap((name, index) => {
    const fault = name === undefined ? undefined : findFault(name, index)
    return fault === undefined ? [] : [`console_access[${index}].group: ${fault}`]
  })
  if (problems.length > 0) throw badRequest(code, ...problems)
}

export const groupsIn = (access: Access): string[] =>
  access.flatMap((each) => (each?.group === undefined ? [] : [each.group]))

/** In the order in which it is read. */
export const inOrder = (access: Given[]): Given[] =>
  access.toSorted((one, other) => Buffer.compare(Buffer.from(one.group), Buffer.from(other.group)))
