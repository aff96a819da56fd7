import type { Person } from '@signet/management'
import { Badge } from '../design/badge.tsx'
import { ShortText, Soft } from '../design/text.tsx'

/** What a person is called where there is one line for it: the first handle, or the ID where there is none. */
export const nameOf = ({ handles: [first], person_id }: Person) => first?.value ?? person_id

export function PersonName({ person }: { person: Person }) {
  const [first, ...others] = person.handles
  if (!first) return <code>{person.person_id}</code>
  return (
    <>
      <ShortText>{first.value}</ShortText>
      {first.verified && (
        <>
          {' '}
          <Badge tone="good">verified</Badge>
        </>
      )}
      {others.length > 0 && <Soft> +{others.length}</Soft>}
    </>
  )
}
