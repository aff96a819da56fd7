import type { Person } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { useSettled } from '../design/settled.ts'
import { Loaded } from '../design/state.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { signet } from '../service/signet.ts'
import { nameOf, PersonName } from './person-name.tsx'
import styles from './persons-field.module.css'

type PersonsFieldProps = { persons: readonly Person[]; onChange: (persons: Person[]) => void }

/** Persons that are found by a handle or an ID, and chosen one by one. */
export function PersonsField({ persons, onChange }: PersonsFieldProps) {
  const field = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const choose = (person: Person) => {
    onChange([...persons, person])
    setTyped('')
    field.current?.querySelector('input')?.focus()
  }
  return (
    <div ref={field} className={styles.field}>
      <TextField
        name="persons"
        label="Find a person"
        value={typed}
        onChange={setTyped}
        placeholder="jo@exa, +1202 or an ID"
        autoFocus
        onEnter={() => undefined}
        hint="By the beginning of an e-mail address or phone number, or by the whole ID."
      />
      <Found searched={useSettled(typed.trim())} chosen={persons} onChoose={choose} />
      <Chosen persons={persons} onChange={onChange} />
    </div>
  )
}

const minLength = 2
const maxFound = 8
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function findPersons(text: string, signal: AbortSignal): Promise<Person[]> {
  if (uuid.test(text)) return [(await signet.getPerson({ path: { person_id: text }, signal })).result]
  const query = { handle_prefix: text, limit: maxFound }
  return (await signet.listPersons({ query, signal })).result
}

type FoundProps = { searched: string; chosen: readonly Person[]; onChoose: (person: Person) => void }

function Found({ searched, chosen, onChoose }: FoundProps) {
  const isEnough = searched.length >= minLength
  const persons = useQuery({
    queryKey: [uuid.test(searched) ? 'getPerson' : 'listPersons', 'find', searched],
    queryFn: ({ signal }) => findPersons(searched, signal),
    enabled: isEnough,
  })
  if (!isEnough) return null
  return (
    <Loaded query={persons} lines={2}>
      {(found) => (
        <ul className={styles.found} aria-label="Found">
          {found.length === 0 && (
            <li>
              <Soft>Nobody has such a handle.</Soft>
            </li>
          )}
          {found.map((person) => (
            <li key={person.person_id} className={styles.person}>
              <span>
                <PersonName person={person} />
              </span>
              <ChooseButton person={person} onChoose={onChoose} isChosen={isIn(person, chosen)} />
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}

const isIn = ({ person_id }: Person, persons: readonly Person[]) =>
  persons.some((other) => other.person_id === person_id)

type ChooseButtonProps = { person: Person; isChosen: boolean; onChoose: (person: Person) => void }

const ChooseButton = ({ person, isChosen, onChoose }: ChooseButtonProps) => (
  <Button
    size="small"
    icon={isChosen ? 'check' : 'plus'}
    disabled={isChosen}
    aria-label={`Choose ${nameOf(person)}`}
    onClick={() => onChoose(person)}
  >
    {isChosen ? 'Chosen' : 'Choose'}
  </Button>
)

function Chosen({ persons, onChange }: PersonsFieldProps) {
  if (persons.length === 0) return <Soft>Nobody is chosen yet.</Soft>
  return (
    <ul className={styles.chosen} aria-label="Chosen">
      {persons.map((person) => (
        <li key={person.person_id} className={styles.one}>
          <ShortText>{nameOf(person)}</ShortText>
          <Button
            size="small"
            tone="quiet"
            icon="cross"
            aria-label={`Do not choose ${nameOf(person)}`}
            onClick={() => onChange(persons.filter((other) => other !== person))}
          />
        </li>
      ))}
    </ul>
  )
}
