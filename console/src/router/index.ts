/** Which page the address names, links between pages, and what asks before a page is left with changes that are not saved. */
export { useLocation, useNavigate, useParams, useSearchParams } from './address.ts'
export { leave, leaveAnyway, release, stay, useLeaving, useUnsaved } from './leaving.ts'
export { Link, NavLink } from './link.tsx'
export { Navigate, Outlet, Pages, ScriptFailure, ScrollRestoration, useOutletContext, useRouteError } from './pages.tsx'
export { showAgain, startRouter } from './router.ts'
export type { RouteObject } from './routes.ts'
