import type { AuditEntry } from '@signet/management'
import { ShortText, Soft } from '../design/text.tsx'

type EntryActor = AuditEntry['actor']

/** What stands in place of a name. */
const unnamed: Record<EntryActor['type'], string> = {
  key: 'key without a name',
  console: 'key without a name',
  person: 'unnamed person',
  link: 'unnamed link',
  directory: 'a directory',
  operator: 'the operator',
}

const through: Partial<Record<EntryActor['type'], string>> = {
  console: ', by the console',
  person: ', by the console',
  link: ', by a link',
  directory: ', a directory',
}

/** Who did it, how, and from where: `Ada Lovelace, by the console, from 203.0.113.7`. */
export const Actor = ({ actor, from }: { actor: EntryActor; from: string | null }) => (
  <>
    {actor.name ? <ShortText>{actor.name}</ShortText> : <Soft>{unnamed[actor.type]}</Soft>}
    <Soft>
      {through[actor.type]}
      {from && (
        <>
          , from <bdi>{from}</bdi>
        </>
      )}
    </Soft>
  </>
)
