import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { Page, Panel } from '../design/page.tsx'
import { CursorPages, useCursor, usePageSize } from '../design/pages.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { signet } from '../service/signet.ts'
import { actionSections, sayAction } from './actions.ts'
import { Entry } from './entry.tsx'
import { TargetFilter } from './target-filter.tsx'
import { WhoFilter } from './who-filter.tsx'

const filters = ['actor', 'action', 'since', 'until'] as const
const actions = actionSections.map(
  ([section, ids]) => [section, ids.map((id) => [id, sayAction(id)] as const)] as const,
)

export function Component() {
  const given = useFilters([...filters, 'target'])
  const after = useCursor()
  const question = { ...given, limit: usePageSize(), ...(after && { after }) }
  const query = useQuery({
    queryKey: ['listAuditEntries', question],
    queryFn: ({ signal }) => signet.listAuditEntries({ query: question, signal }),
    placeholderData: keepPreviousData,
  })
  const entries = query.data?.result ?? []
  const { actor, target } = given
  const actorName = entries.find((entry) => entry.actor.id === actor)?.actor.name
  const targetName = entries.find((entry) => entry.target.id === target)?.target.name
  return (
    <Page title="Audit log" lead="Who changed what, from where, and what it was before. The newest first.">
      <Panel flush>
        <Filters names={filters}>
          <WhoFilter chosen={actor ? [actor, actorName ?? actor] : undefined} />
          <SelectFilter name="action" label="Action" options={[]} groups={actions} />
          <TextFilter name="since" label="From" type="datetime-local" />
          <TextFilter name="until" label="Until" type="datetime-local" />
        </Filters>
        {target && <TargetFilter target={target} name={targetName} />}
        <Loaded query={query}>
          {({ result, meta }) => (
            <>
              {result.length === 0 && <NoEntries isFiltered={Object.keys(given).length > 0} />}
              {result.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
              <CursorPages
                next={meta.next}
                isEmpty={result.length === 0}
                actions={<ExportCsv name="audit-log" path="/organizations/audit-log" query={given} />}
              />
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
      ? 'Clear them, or choose a longer span.'
      : 'Every change through the interface or the console will be listed here.'}
  </Empty>
)
