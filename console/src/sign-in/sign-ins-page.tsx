import type { ListSignInsData } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { Panel } from '../design/page.tsx'
import { CursorPages, useCursor, usePageSize } from '../design/pages.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { failureWords, outcomeWords } from '../outcomes/outcome-words.ts'
import { signet } from '../service/signet.ts'
import { Section } from './section.tsx'
import { SignInsTable } from './sign-ins-table.tsx'

type Query = NonNullable<ListSignInsData['query']>

const filterNames = ['status', 'failure_reason', 'handle', 'client_ip_address', 'person_id', 'since', 'until'] as const
const asOption = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const outcomes = (['succeeded', 'failed'] as const).map(
  (outcome) => [outcome, asOption(outcomeWords[outcome].word)] as const,
)

/** Each sign-in that came to an end, whoever it was. */
export function Component() {
  const { handle, ...filters } = useFilters(filterNames)
  const after = useCursor()
  const wanted = { ...filters, ...(handle && { handle: typedHandle(handle) }) }
  const query = { ...wanted, limit: usePageSize(), ...(after && { after }) } as Query
  const signIns = useQuery({
    queryKey: ['listSignIns', query],
    queryFn: ({ signal }) => signet.listSignIns({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Section lead="Who signed in, or tried to: each sign-in that came to an end, the newest first.">
      <Panel flush>
        <Filters names={filterNames}>
          <SelectFilter name="status" label="Outcome" options={outcomes} />
          <SelectFilter name="failure_reason" label="Why it failed" options={Object.entries(failureWords)} />
          <TextFilter name="handle" label="Handle" placeholder="jo@example.com or +12025550123" width="wide" />
          <TextFilter name="client_ip_address" label="Address" placeholder="203.0.113.7" />
          <TextFilter name="since" label="From" type="datetime-local" />
          <TextFilter name="until" label="Until" type="datetime-local" />
          <TextFilter name="person_id" label="Person ID" width="wide" />
        </Filters>
        <Loaded query={signIns} lines={8}>
          {({ result, meta }) => (
            <>
              <SignInsTable
                signIns={result}
                empty={<NoSignIns isFiltered={Object.keys(wanted).length > 0} hasMore={meta.next !== undefined} />}
              />
              <CursorPages
                next={meta.next}
                isEmpty={result.length === 0}
                actions={<ExportCsv name="sign-ins" path="/organizations/sign-ins" query={wanted} />}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </Section>
  )
}

/** As the interface takes it, whose handles have a type. */
const typedHandle = (handle: string) =>
  /^(?:EmailAddress|PhoneNumber):/.test(handle)
    ? handle
    : `${handle.includes('@') ? 'EmailAddress' : 'PhoneNumber'}:${handle}`

function NoSignIns({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  if (hasMore) return <Empty title="None so far.">There are older ones to look through: go on with Older.</Empty>
  if (isFiltered)
    return (
      <Empty title="No sign-in fits these filters." icon="search">
        Sign-ins are kept for as long as events are, usually 30 days.
      </Empty>
    )
  return (
    <Empty title="Nobody has signed in yet." icon="sign-in">
      Each sign-in will be listed here, with what came of it.
    </Empty>
  )
}
