import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { Page, Panel } from '../design/page.tsx'
import { CursorPages, pageSize, useCursor } from '../design/pages.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { signet } from '../service/signet.ts'
import { Entry } from './entry.tsx'

const filters = ['action', 'actor', 'since', 'until'] as const
const actors = [
  ['key', 'API keys'],
  ['console', 'The console'],
  ['operator', 'The operator'],
  ['link', 'Credential links'],
] as const

export function Component() {
  const given = useFilters(filters)
  const after = useCursor()
  const question = { ...given, limit: pageSize, ...(after && { after }) }
  const query = useQuery({
    queryKey: ['listAuditEntries', question],
    queryFn: ({ signal }) => signet.listAuditEntries({ query: question, signal }),
    placeholderData: keepPreviousData,
  })
  const isFiltered = Object.keys(given).length > 0
  return (
    <Page title="Audit log" lead="Who changed what, from where, and what it was before. The newest first.">
      <Panel flush>
        <Filters names={filters}>
          <TextFilter name="action" label="Action" placeholder="changeWebhook" />
          <SelectFilter name="actor" label="Changed by" options={actors} />
          <TextFilter name="since" label="From" type="datetime-local" />
          <TextFilter name="until" label="Until" type="datetime-local" />
        </Filters>
        <Loaded query={query}>
          {({ result, meta }) => (
            <>
              {result.length === 0 && <NoEntries isFiltered={isFiltered} />}
              {result.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
              <CursorPages next={meta.next} />
            </>
          )}
        </Loaded>
      </Panel>
    </Page>
  )
}

const NoEntries = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty title={isFiltered ? 'No change fits these filters.' : 'Nothing was changed yet.'} icon="audit-log">
    {isFiltered
      ? 'An action is the id of an operation, as in the reference.'
      : 'Every change through the interface or the console will be listed here.'}
  </Empty>
)
