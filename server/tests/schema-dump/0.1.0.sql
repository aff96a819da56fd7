--
-- PostgreSQL database dump
--

\restrict SnjyMHIz2Imoq64mgaK71dFjTTX3obrNkatb9i1gpeZXE6hhOr1BITNW1Qd2y5P

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: origins_of(text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.origins_of(uris text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT regexp_replace(lower("substring"(uri.uri, '^https?://[^/?]+'::text)), '^(https://.*):443$|^(http://.*):80$'::text, '\1\2'::text) AS regexp_replace FROM unnest(origins_of.uris) uri(uri));


--
-- Name: priority_in_lane(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.priority_in_lane(event_name text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (event_name = 'VirtualPageLoaded_v1'::text) THEN 1 ELSE 0 END;


--
-- Name: time_of(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.time_of(id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    RETURN to_timestamp((((((('x'::text || translate("left"((id)::text, 13), '-'::text, ''::text)))::bit(48))::bigint)::numeric / 1000.0))::double precision);


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: test_event_allowances; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.test_event_allowances (
    org_id uuid NOT NULL,
    tokens double precision NOT NULL,
    refilled_at timestamp with time zone NOT NULL
);


--
-- Name: tokens_at(public.test_event_allowances, timestamp with time zone, double precision, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tokens_at(a public.test_event_allowances, moment timestamp with time zone, per_second double precision, burst double precision) RETURNS double precision
    LANGUAGE sql STABLE
    RETURN LEAST(burst, ((a).tokens + ((GREATEST((0)::numeric, EXTRACT(epoch FROM (moment - (a).refilled_at))))::double precision * per_second)));


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text,
    key_hash bytea NOT NULL,
    read_only boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone
);


--
-- Name: applications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.applications (
    org_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    post_logout_redirect_uris text[] NOT NULL,
    confidential boolean NOT NULL,
    client_secret_hash bytea,
    id_token_signed_response_alg text NOT NULL,
    require_pkce boolean NOT NULL,
    groups_claim boolean DEFAULT true NOT NULL,
    refresh_token_grace_ms double precision DEFAULT 10000 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT applications_check CHECK ((confidential = (client_secret_hash IS NOT NULL))),
    CONSTRAINT applications_check1 CHECK ((confidential OR require_pkce)),
    CONSTRAINT applications_id_token_signed_response_alg_check CHECK ((id_token_signed_response_alg = ANY (ARRAY['RS256'::text, 'ES256'::text]))),
    CONSTRAINT applications_refresh_token_grace_ms_check CHECK (((refresh_token_grace_ms >= (0)::double precision) AND (refresh_token_grace_ms <= (60000)::double precision)))
);


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_name text NOT NULL,
    trigger_created_at timestamp with time zone,
    is_leased boolean DEFAULT false NOT NULL,
    available_at timestamp with time zone NOT NULL,
    lease_token uuid,
    attempts_count integer DEFAULT 0 NOT NULL,
    window_attempts integer DEFAULT 0 NOT NULL,
    window_opened_at timestamp with time zone,
    attempt_log jsonb DEFAULT '[]'::jsonb NOT NULL
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');


--
-- Name: delivery_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.delivery_counts (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    day date NOT NULL,
    status text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT delivery_counts_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text])))
)
WITH (fillfactor='50');


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    payload text NOT NULL
)
PARTITION BY RANGE (id);


--
-- Name: events_20261125; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events_20261125 (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    payload text NOT NULL
);


--
-- Name: finished_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.finished_deliveries (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_type text DEFAULT 'event'::text NOT NULL,
    trigger_name text NOT NULL,
    status text NOT NULL,
    reason text,
    attempts_count integer NOT NULL,
    attempt_log jsonb NOT NULL,
    dropped_claims text[],
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT finished_deliveries_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text]))),
    CONSTRAINT finished_deliveries_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
)
PARTITION BY RANGE (event_id);


--
-- Name: finished_deliveries_20261125; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.finished_deliveries_20261125 (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_type text DEFAULT 'event'::text NOT NULL,
    trigger_name text NOT NULL,
    status text NOT NULL,
    reason text,
    attempts_count integer NOT NULL,
    attempt_log jsonb NOT NULL,
    dropped_claims text[],
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT finished_deliveries_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text]))),
    CONSTRAINT finished_deliveries_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
);


--
-- Name: flows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.flows (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    interaction_uid text NOT NULL COLLATE pg_catalog."C",
    correlation_id uuid NOT NULL,
    client_address text NOT NULL,
    user_agent text NOT NULL,
    window_location text NOT NULL,
    credential_id uuid,
    state_hash bytea,
    secret_hash bytea,
    expected bytea,
    begun_at timestamp with time zone,
    used_at timestamp with time zone,
    ended_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.flows ALTER COLUMN org_id SET (n_distinct=1);


--
-- Name: former_identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.former_identities (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    provider text NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject_hash bytea NOT NULL
);


--
-- Name: groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.groups (
    org_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: handles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handles (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    type text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    verified boolean NOT NULL,
    vouched_by text COLLATE pg_catalog."C",
    "position" smallint NOT NULL,
    CONSTRAINT handles_type_check CHECK ((type = ANY (ARRAY['EmailAddress'::text, 'PhoneNumber'::text])))
);


--
-- Name: identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identities (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    provider text NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    credential_id uuid NOT NULL,
    email text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: installation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.installation (
    only_row boolean DEFAULT true NOT NULL,
    base_url text NOT NULL,
    master_key_check bytea NOT NULL,
    CONSTRAINT installation_only_row_check CHECK (only_row)
);


--
-- Name: issuer_grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_grants (
    org_id uuid NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    person_id uuid NOT NULL,
    session_uid text COLLATE pg_catalog."C",
    payload json NOT NULL,
    claims json NOT NULL,
    authenticated_methods text[] NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_interactions (
    org_id uuid NOT NULL,
    uid text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    window_location text NOT NULL,
    result json,
    person_id uuid,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_keys (
    org_id uuid NOT NULL,
    kid text NOT NULL,
    alg text NOT NULL,
    private_key bytea NOT NULL,
    published_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone,
    withdrawn_at timestamp with time zone,
    CONSTRAINT issuer_keys_alg_check CHECK ((alg = ANY (ARRAY['RS256'::text, 'ES256'::text])))
);


--
-- Name: issuer_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_sessions (
    org_id uuid NOT NULL,
    uid text NOT NULL COLLATE pg_catalog."C",
    id_hash bytea NOT NULL,
    person_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    authentications json NOT NULL,
    payload json NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_tokens (
    org_id uuid NOT NULL,
    id_hash bytea NOT NULL,
    kind text NOT NULL,
    grant_id text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    consumed_at timestamp with time zone,
    uses smallint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT issuer_tokens_kind_check CHECK ((kind = ANY (ARRAY['AuthorizationCode'::text, 'AccessToken'::text, 'RefreshToken'::text])))
);


--
-- Name: lanes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lanes (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    next_due_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    in_flight integer DEFAULT 0 NOT NULL,
    max_in_flight integer DEFAULT 1 NOT NULL,
    saturated boolean DEFAULT false NOT NULL,
    leased_by uuid,
    healthy boolean DEFAULT false NOT NULL,
    failing boolean DEFAULT false NOT NULL,
    failing_since timestamp with time zone,
    cooldown_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    paused_reason text,
    resumed_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT lanes_paused_reason_check CHECK ((paused_reason = ANY (ARRAY['requested'::text, 'failing'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500', autovacuum_vacuum_cost_delay='0');


--
-- Name: memberships; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memberships (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    group_name text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: oidc_credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oidc_credentials (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    client_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL,
    client_secret bytea NOT NULL,
    label text NOT NULL,
    external_cred_id text NOT NULL,
    options jsonb NOT NULL,
    issuer text COLLATE pg_catalog."C",
    version integer DEFAULT 1 NOT NULL
);


--
-- Name: organizations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.organizations (
    id uuid NOT NULL,
    name text NOT NULL,
    pricing_tier text NOT NULL,
    self_registration boolean DEFAULT true NOT NULL,
    allowed_email_domains text[] DEFAULT '{}'::text[] NOT NULL,
    link_by_verified_email boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: persons; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.persons (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    active boolean NOT NULL,
    region text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: person_records; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.person_records AS
 SELECT p.org_id,
    p.id AS person_id,
    p.active,
    p.region,
    p.created_at,
    COALESCE(( SELECT json_agg(json_build_object('type', h.type, 'value', h.value, 'verified', h.verified) ORDER BY h."position") AS json_agg
           FROM public.handles h
          WHERE ((h.org_id = p.org_id) AND (h.person_id = p.id))), '[]'::json) AS handles,
    ARRAY( SELECT m.group_name
           FROM public.memberships m
          WHERE ((m.org_id = p.org_id) AND (m.person_id = p.id))
          ORDER BY m.group_name) AS groups
   FROM public.persons p;


--
-- Name: schema_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    sha256 text NOT NULL,
    breaking boolean NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: signing_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_keys (
    org_id uuid NOT NULL,
    kid text NOT NULL,
    public_jwk text NOT NULL,
    private_key bytea NOT NULL,
    published_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone,
    withdrawn_at timestamp with time zone
);


--
-- Name: triggers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.triggers (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    type text NOT NULL,
    name text NOT NULL,
    on_failure text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT triggers_on_failure_check CHECK ((on_failure = ANY (ARRAY['fail'::text, 'continue'::text]))),
    CONSTRAINT triggers_type_check CHECK ((type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    target_url text NOT NULL,
    target_key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    description text NOT NULL,
    custom_headers bytea,
    timeout_ms double precision NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT webhooks_target_key_check CHECK ((target_key <> ''::text))
);


--
-- Name: workers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workers (
    id uuid NOT NULL,
    registered_at timestamp with time zone NOT NULL,
    missing_since timestamp with time zone
);


--
-- Name: events_20261125; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261125 FOR VALUES FROM ('01a21000-8800-7000-8000-000000000000') TO ('01a21526-e400-7000-8000-000000000000');


--
-- Name: finished_deliveries_20261125; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries ATTACH PARTITION public.finished_deliveries_20261125 FOR VALUES FROM ('01a21000-8800-7000-8000-000000000000') TO ('01a21526-e400-7000-8000-000000000000');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-dd5f-77d5-b905-2f0889aed061', NULL, '\x704ef7cbc86782f578029abeefbdcc1dff29a199b6c87c8fbc9abfb683e1b891', false, '2026-11-25 13:52:40.287+00', NULL, '2026-11-25 13:52:00+00');


--
-- Data for Name: applications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.applications VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-de15-73c4-b2a5-24146f800436', 'An application', '{https://app.test/callback}', '{}', true, '\x9bd43a730012f3a8c5cb3f5fe871ae4d828cee88cf4e5da2adf74f8559122b2e', 'RS256', true, true, 10000, '2026-11-25 13:52:40.469+00');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7e4-70f7-be7e-4612fd0edcce', '01a212fa-e85b-7649-b72d-7e8ece5d8270', 'PersonCreated_v1', '2026-11-25 13:52:42.984+00', false, '2026-11-25 13:52:43.099+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7e4-70f7-be7e-4612fd0edcce', '01a212fa-eb10-73db-93bc-806dc33ecc38', 'PersonCreated_v1', '2026-11-25 13:52:42.984+00', false, '2026-11-25 13:52:43.792+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7e4-70f7-be7e-4612fd0edcce', '01a212fa-ebfc-7340-81c7-9e68d3f93228', 'PersonCreated_v1', '2026-11-25 13:52:42.984+00', false, '2026-11-25 13:52:44.028+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '01a212fa-ec72-73e9-9cd0-dafec9936256', 'PersonDeleted_v1', '2026-11-25 13:52:42.961+00', true, '2026-11-25 13:53:09.184+00', '01a212fa-ec98-72c6-a222-28ec9d3c8423', 1, 1, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ec69-726c-945d-39c1468a9fc9', '01a212fa-ec72-73e9-9cd0-dafec9936256', 'PersonDeleted_v1', '2026-11-25 13:52:44.142+00', true, '2026-11-25 13:53:09.184+00', '01a212fa-ec98-72c7-a8ea-e21be6f50947', 1, 1, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '01a212fa-ede0-7312-b876-bd896b280145', 'PersonCreated_v1', '2026-11-25 13:52:42.956+00', false, '2026-11-25 13:52:44.512+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', '01a212fa-ede0-7312-b876-bd896b280145', 'PersonCreated_v1', '2026-11-25 13:52:42.974+00', false, '2026-11-25 13:52:44.512+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7e4-70f7-be7e-4612fd0edcce', '01a212fa-ede0-7312-b876-bd896b280145', 'PersonCreated_v1', '2026-11-25 13:52:42.984+00', false, '2026-11-25 13:52:44.512+00', NULL, 0, 0, NULL, '[]');


--
-- Data for Name: delivery_counts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.delivery_counts VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7fe-7672-91f8-e06c42afc1cc', '2026-11-25', 'cancelled', 1);
INSERT INTO public.delivery_counts VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '2026-11-25', 'succeeded', 5);
INSERT INTO public.delivery_counts VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', '2026-11-25', 'dropped', 3);


--
-- Data for Name: events_20261125; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e85b-7649-b72d-7e8ece5d8270', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":true,"event_id":"01a212fa-e85b-7649-b72d-7e8ece5d8270","timestamp":"2026-11-25T13:52:43.099530517Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212fa-dd5f-77d4-b03b-61d79d9c4b73"},"analytics_metadata":{"analytics_correlation_id":"01a212fa-e851-7546-b9ec-873bd249d59d","client_ip_address":"127.0.0.1"},"person_id":"0199a3f2-5c00-7000-8000-0242ac120002","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eb10-73db-93bc-806dc33ecc38', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212fa-eb10-73db-93bc-806dc33ecc38","timestamp":"2026-11-25T13:52:43.792954101Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212fa-dd5f-77d4-b03b-61d79d9c4b73"},"analytics_metadata":{"analytics_correlation_id":"01a212fa-ea29-760f-835b-917cfeecbe61","client_ip_address":"127.0.0.1"},"person_id":"01a212fa-eabb-70ef-bd9c-bfebfff6a385","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eb10-73dc-b007-e02b9792b796', 'AuthenticationSucceeded_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212fa-eb10-73dc-b007-e02b9792b796","timestamp":"2026-11-25T13:52:43.792954101Z","source":2,"event_type":"AuthenticationSucceeded","event_name":"AuthenticationSucceeded_v1","event_version":1,"organization_id":"01a212fa-dd5f-77d4-b03b-61d79d9c4b73"},"analytics_metadata":{"analytics_correlation_id":"01a212fa-ea29-760f-835b-917cfeecbe61","client_ip_address":"127.0.0.1"},"browser_metadata":{"user_agent":"A browser","window_location":""},"person_id":"01a212fa-eabb-70ef-bd9c-bfebfff6a385","region":"local","success_authn_method":"oidc","authenticated_methods":["oidc"]}');
INSERT INTO public.events_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ebfc-7340-81c7-9e68d3f93228', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212fa-ebfc-7340-81c7-9e68d3f93228","timestamp":"2026-11-25T13:52:44.028220214Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212fa-dd5f-77d4-b03b-61d79d9c4b73"},"analytics_metadata":{"analytics_correlation_id":"01a212fa-ebb6-75a6-84c6-247566be2d11","client_ip_address":"127.0.0.1"},"person_id":"01a212fa-ebed-7492-90bc-16014c5664d2","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ebfc-7341-9ddc-32223e8e8ab0', 'AuthenticationSucceeded_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212fa-ebfc-7341-9ddc-32223e8e8ab0","timestamp":"2026-11-25T13:52:44.028220214Z","source":2,"event_type":"AuthenticationSucceeded","event_name":"AuthenticationSucceeded_v1","event_version":1,"organization_id":"01a212fa-dd5f-77d4-b03b-61d79d9c4b73"},"analytics_metadata":{"analytics_correlation_id":"01a212fa-ebb6-75a6-84c6-247566be2d11","client_ip_address":"127.0.0.1"},"browser_metadata":{"user_agent":"A browser","window_location":""},"person_id":"01a212fa-ebed-7492-90bc-16014c5664d2","region":"local","success_authn_method":"oidc","authenticated_methods":["oidc"]}');
INSERT INTO public.events_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ec72-73e9-9cd0-dafec9936256', 'PersonDeleted_v1', '{"event_metadata":{"is_test_event":true,"event_id":"01a212fa-ec72-73e9-9cd0-dafec9936256","timestamp":"2026-11-25T13:52:44.146239501Z","source":1,"event_type":"PersonDeleted","event_name":"PersonDeleted_v1","event_version":1,"organization_id":"01a212fa-dd5f-77d4-b03b-61d79d9c4b73"},"person_id":"0199a3f2-5c00-7000-8000-0242ac120002","region":"local","handles":[{"type":0,"value":"jo@example.com"},{"type":1,"value":"+12025550123"}],"groups":["staff"]}');
INSERT INTO public.events_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ede0-7312-b876-bd896b280145', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a212fa-ede0-7312-b876-bd896b280145","timestamp":"2026-11-25T13:52:44.512804199Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a212fa-dd5f-77d4-b03b-61d79d9c4b73"},"analytics_metadata":{"analytics_correlation_id":"01a212fa-edb7-762a-852f-d51fc13e1c4f","client_ip_address":"127.0.0.1"},"person_id":"01a212fa-eddf-7447-8213-3fd2326429fd","region":"local"}');


--
-- Data for Name: finished_deliveries_20261125; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7fe-7672-91f8-e06c42afc1cc', '01a212fa-e85b-7649-b72d-7e8ece5d8270', 'event', 'PersonCreated_v1', 'cancelled', 'trigger_deleted', 0, '[]', NULL, '2026-11-25 13:52:43.267+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '01a212fa-e85b-7649-b72d-7e8ece5d8270', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a212fa-e8a8-72ef-bfc3-de201c799245", "number": 1, "started_at": "2026-11-25T13:52:43.193Z", "duration_ms": 135.142, "status_code": 200}]', NULL, '2026-11-25 13:52:43.338+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', '01a212fa-e85b-7649-b72d-7e8ece5d8270', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a212fa-e8a8-72f0-985c-839935c3ce2f", "answer": "", "number": 1, "started_at": "2026-11-25T13:52:43.200Z", "duration_ms": 133.649, "status_code": 500}, {"jti": "01a212fa-e9c5-73aa-a56a-a8e19fd6a457", "answer": "", "number": 2, "started_at": "2026-11-25T13:52:43.462Z", "duration_ms": 3.546, "status_code": 500}]', NULL, '2026-11-25 13:52:43.471+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ea-751d-a8c6-29a10675e4a7', '01a212fa-eabf-7238-8759-e38ed2284508', 'sync_hook', 'token_minted', 'succeeded', NULL, 1, '[{"jti": "01a212fa-eac8-71a3-8a37-06e99c49bda9", "number": 1, "started_at": "2026-11-25T13:52:43.732Z", "duration_ms": 36.347, "status_code": 200}]', '{iss}', '2026-11-25 13:52:43.769+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '01a212fa-eb10-73dc-b007-e02b9792b796', 'event', 'AuthenticationSucceeded_v1', 'succeeded', NULL, 1, '[{"jti": "01a212fa-eb4f-7580-ab49-2bb0ff3bf70f", "number": 1, "started_at": "2026-11-25T13:52:43.857Z", "duration_ms": 7.46, "status_code": 200}]', NULL, '2026-11-25 13:52:43.872+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '01a212fa-eb10-73db-93bc-806dc33ecc38', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a212fa-eb4f-7581-95ad-d25ce9a621db", "number": 1, "started_at": "2026-11-25T13:52:43.858Z", "duration_ms": 12.801, "status_code": 200}]', NULL, '2026-11-25 13:52:43.904+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', '01a212fa-eb10-73db-93bc-806dc33ecc38', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a212fa-eb4f-7582-8278-8f5c4d2d0e39", "answer": "", "number": 1, "started_at": "2026-11-25T13:52:43.858Z", "duration_ms": 13.2, "status_code": 500}, {"jti": "01a212fa-eb9e-7716-9c9f-9efabae7e899", "answer": "", "number": 2, "started_at": "2026-11-25T13:52:43.936Z", "duration_ms": 4.062, "status_code": 500}]', NULL, '2026-11-25 13:52:43.945+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ea-751d-a8c6-29a10675e4a7', '01a212fa-ebef-7653-b657-69a3d70a4a0e', 'sync_hook', 'token_minted', 'succeeded', NULL, 1, '[{"jti": "01a212fa-ebf0-7380-86c2-bbcb89059dc3", "number": 1, "started_at": "2026-11-25T13:52:44.017Z", "duration_ms": 3.931, "status_code": 200}]', '{iss}', '2026-11-25 13:52:44.021+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '01a212fa-ebfc-7340-81c7-9e68d3f93228', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a212fa-ec0a-7196-856e-232d77cba3ab", "number": 1, "started_at": "2026-11-25T13:52:44.044Z", "duration_ms": 4.174, "status_code": 200}]', NULL, '2026-11-25 13:52:44.053+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '01a212fa-ebfc-7341-9ddc-32223e8e8ab0', 'event', 'AuthenticationSucceeded_v1', 'succeeded', NULL, 1, '[{"jti": "01a212fa-ec0b-733d-a9cc-7fcc14386361", "number": 1, "started_at": "2026-11-25T13:52:44.044Z", "duration_ms": 5.775, "status_code": 200}]', NULL, '2026-11-25 13:52:44.089+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', '01a212fa-ebfc-7340-81c7-9e68d3f93228', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a212fa-ec13-7753-9c7a-4f10b5af2ca6", "answer": "", "number": 1, "started_at": "2026-11-25T13:52:44.051Z", "duration_ms": 4.219, "status_code": 500}, {"jti": "01a212fa-ec55-7709-94fb-f6451258fa81", "answer": "", "number": 2, "started_at": "2026-11-25T13:52:44.119Z", "duration_ms": 2.472, "status_code": 500}]', NULL, '2026-11-25 13:52:44.128+00');


--
-- Data for Name: flows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.flows VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ea29-7610-b69a-80a899a6eaa2', 'HFkxFv7jrHMoQQVeeQ4-1Dsf8dSNaDsrVqPUN9pm7rO', '01a212fa-ea29-760f-835b-917cfeecbe61', '127.0.0.1', 'A browser', '', '01a212fa-dddb-7032-916d-2e52fe93a198', '\x0e3a81679c23ab95394d4df7772eadbc242992eb25bbf4d63c65ff3126a4f3e4', '\x832b41b9537d452b505e0d778eee9a2ef45e39de891099f45c34f5b5f567f877', '\xab00c205af660b8cc146b90140a8a2c4094139bf36e60ecdf19d5a2f9ca2cc8d54d104d33082254ef402a67953c53bec24e18641f11bed1c32b86a923a6a302df66445a9b91309418becb72117c3c5a22415895277ea0a51061a2615c80c1cf69d3d197539c9f7fdebab089c532975864cdc3061e6ab77ae2e98b6c991321042e8e5c26b813d5838db8402d4352cfe6259d6d2077f3c97e4bdae2db45e8e08604d814c83204f91f1106b0bd1c7057f689e422a6c88d0f44cbd4152', '2026-11-25 13:52:43.656+00', '2026-11-25 13:52:43.656+00', '2026-11-25 13:52:43.776+00', '2026-11-25 13:55:13.656+00');
INSERT INTO public.flows VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ebb6-75a7-b8da-8b6e1d7c495d', 'Y8eRuuTHUpwPP7zT-A9TzdJIeDBFVevSkAEWA30WcBO', '01a212fa-ebb6-75a6-84c6-247566be2d11', '127.0.0.1', 'A browser', '', '01a212fa-dddb-7032-916d-2e52fe93a198', '\x6f2087edd585222aab3622ff27ef55935abe21628b65719c38b1f43f4ea0277c', '\xc98870b3bf94709be270ad1ecd6e8b4f5aaf6f5f2565e302857e83d78ad48a9b', '\xf49157aeaf7cffcdf80c7bad5b2a593fa7443200f61af08f46faae3cf1649aeac816f6abc57cee322ae5896f1ec62d9d8b3513e94214428ca0091909eaa14e0ffe904a0490341c9a308c61d161fb16848885aa3cb43090606cf44d288f1edfcf8caa679a0e1d82f611bd832ef67fe82303837dfc0641bc8084194ab4f15c6e51d520a7a0fdb71f9b425fbbc7f5718366d20d8f826f534b38a2706fe9c690be427017390f5ac75c88d08714133dd8933baa4e14bc947baf97c34d5f', '2026-11-25 13:52:43.99+00', '2026-11-25 13:52:43.99+00', '2026-11-25 13:52:44.024+00', '2026-11-25 13:55:13.99+00');
INSERT INTO public.flows VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ec64-702c-9c93-1ddeb45c7ff4', 'C9fbRZCPYciToA_bBsHWgxb9dYTL-dM69bX1Va4eqE2', '01a212fa-ec64-702b-9b3f-a2ca55b9aa83', '127.0.0.1', 'A browser', '', '01a212fa-dddb-7032-916d-2e52fe93a198', '\xe9825eea4773cc1829b852e2aa36394ff3b5fc08025a3a94dba7adc44f90c8df', '\x2dbf7a9aa7e3918fc284e6abb9bf79c855cba86faefafa347150c35a5a890609', '\x0d223bd67e79d33df721c9dee3ed49f418783aac179d6418a9c445c441b34388e5f210cb560d878482fc0b89c10f70c58e51ffbd0ff7b9f9acdcfceb99035511f462eb0ce422acd71b3955751af307e1e153311bef2f04b1fb10544461fb69a45c6fec6719cea6c2031811af32c7f9910ee062025521aa00bdcb57385497d0bbe6d17c117b9fcddede3f65528ada9f5b3dc396f7a889827ffa8bf82b08f96caf91309233aba4a81c86c9179cc629f252f1ce7f16abafc38123dc3f', NULL, NULL, NULL, '2026-11-25 14:07:44.133+00');


--
-- Data for Name: former_identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.former_identities VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ebed-7492-90bc-16014c5664d2', 'provider_a', 'http://127.0.0.1:37221', '\x46fdae29620a12a9aacbbc73f5fc7aeb4eb997d686bfb289be1dae882cfb61e0');


--
-- Data for Name: groups; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.groups VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'engineering', '', '2026-11-25 13:52:43.516+00');


--
-- Data for Name: handles; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handles VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eabb-70ef-bd9c-bfebfff6a385', 'EmailAddress', 'ada@gmail.com', 'ada@gmail.com', true, 'http://127.0.0.1:37221', 0);
INSERT INTO public.handles VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ebed-7492-90bc-16014c5664d2', 'EmailAddress', 'grace@gmail.com', 'grace@gmail.com', true, 'http://127.0.0.1:37221', 0);
INSERT INTO public.handles VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eddf-7447-8213-3fd2326429fd', 'PhoneNumber', '+4930123456', '+4930123456', false, NULL, 0);


--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.identities VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eb00-703e-b16a-04e5dda787b6', '01a212fa-eabb-70ef-bd9c-bfebfff6a385', 'provider_a', 'http://127.0.0.1:37221', 'ada-1', '01a212fa-dddb-7032-916d-2e52fe93a198', 'ada@gmail.com', '2026-11-25 13:52:43.776+00');


--
-- Data for Name: installation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.installation VALUES (true, 'https://id.signet.test', '\x01ec6ff36875a1ad3f373c9a902c3c098460758c2a4e656e83eec9460b0bacfa362b4ac7cc48ef4ba4cbca');


--
-- Data for Name: issuer_grants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_grants VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X', '01a212fa-eabb-70ef-bd9c-bfebfff6a385', NULL, '{"iat":1795614763,"exp":1803394423,"clientId":"01a212fa-de15-73c4-b2a5-24146f800436","accountId":"01a212fa-eabb-70ef-bd9c-bfebfff6a385","kind":"Grant","openid":{"scope":"openid offline_access"}}', '{"department":"engineering"}', '{oidc}', '2027-02-23 14:53:43.854+00');


--
-- Data for Name: issuer_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_interactions VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'C9fbRZCPYciToA_bBsHWgxb9dYTL-dM69bX1Va4eqE2', '{"iat":1795614764,"exp":1795615664,"returnTo":"https://id.signet.test/oidc/01a212fa-dd5f-77d4-b03b-61d79d9c4b73/authorize/C9fbRZCPYciToA_bBsHWgxb9dYTL-dM69bX1Va4eqE2","prompt":{"name":"login","reasons":["sign_in"],"details":{}},"params":{"client_id":"01a212fa-de15-73c4-b2a5-24146f800436","code_challenge":"hDW80AInbwPEgqiInzTbjBnOn9jZjdXh2_d_uBAsxBo","code_challenge_method":"S256","nonce":"T7RGP1AYcs_cuxcvZiQe4q3xRs_tu8kr-TRKdjDuXxI","redirect_uri":"https://app.test/callback","response_type":"code","scope":"openid","state":"UN7TR0nYJ3xvU3RTxtUG-2TjIw_3KF8WHhmTUchZs1k"},"cid":"FkChnmHJa2jEMxJcK7NO9l2WAHQO6koTZQvExbod0Lt","kind":"Interaction","jti":"C9fbRZCPYciToA_bBsHWgxb9dYTL-dM69bX1Va4eqE2"}', '', NULL, NULL, '2026-11-25 14:07:44.126+00');


--
-- Data for Name: issuer_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_keys VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'roosRitsRxKQRvDEwPXjrvVtCe0i4aWY_gLfiBi9MR4', 'ES256', '\x01ec6ff36875a1ad3f0566ca28b45a1a40e777925e10eac9088e78fd0d755c21d85b8166fa1553f7b720aace9d01cdb0e5ada014e2d6c9eb1d5b01a0016e060621bfa14001167cab6a1ba1822c07b411d5286b3a4d3cfb3dc9946c3ed31805b7b9bc6f3d03654ae1f772bafb52f0a783cefd94940517ac7f6f8db0520f3e8a4108e461aae73c248b4f645d5626fd0ba64eca5154650552b10c788d22a83b9a65150dea501ca46c4d7f11fa9fd780f6', '2026-11-25 13:52:40.925+00', '2026-11-25 13:52:40.925+00', NULL);
INSERT INTO public.issuer_keys VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'LaihBtqrSF40E-0svgQX4TVMHJmj3LRUBYdQXx-ZXTw', 'ES256', '\x01ec6ff36875a1ad3f451c5f8e5c9cf8e4eeffe5aee26ba1aafd2c4594e72888bc1f561e7c38092d3ee54702373dbc78b1d8d4023f4917133fa84a876ac101d175048b7bf3203fd648c80a29e2c19caaafe6bc9dcac1ec1558c513aef9a86a994f0a70dd1944e793bc38e5f750c39a359f58bc0767f52df2d19a0a561a24fe073390cc679cbb4ac320db949729a3e546df85c4c460b4bc55e0643ba932885d7208255f18a03b3df9c1e02cf2b7a812', '2026-11-25 13:52:40.925+00', NULL, NULL);
INSERT INTO public.issuer_keys VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'yhlGAfi9Q5dcMct_egVd1yxjrKGxSjKgTT5rJV1Vkog', 'RS256', '\x01ec6ff36875a1ad3f6ddc8193d1635d48a2320c43496bb779d60dd0cc9d05dfe7957806081e1b33a10607079f64b347bfe3e5eb14dc13b02709fda215317c210cc166400ac190664d46d45548a4cbe9144970b78f87aa908ad62c26a7eaa77f7ef898df9529cbb5a66ff1e91d6242274819db844b1e879cb4fe0311b0105d459736534cb2727d380ba419344990b0e2982267dcdf03cf52f2e1a890710dbf3e642f5f0fa6a84557ada702aa5ba1acb965c87c8b2a6ca577a6cdf21d5f55693499adb43391c23ebbb8e44fdbd28265a939959f8a3fe65e6da77929ce41c2624e41956c446b879cd4e5fc2f539a0c1d8fe5df7a21e4109ae65a285cba27f8e553928ff76856d11c8b79a1b9fe34f8e04190b64a8cd3c99ab67d25f34fd313af32b9eb21590c400ecd4572c6535099b7bf2fcf04a9aeb6adf8fc9a14119548a6c069544db6bfb353c32f15bf4bea4fa06df5a240c2aca4d58e5b8203ddb277f53b3bde152b61c09bc2258cb163d6015c0f359121b765feb60870194a281a40f043f25189b4c3bc129dcb562e7ca5d63919f13dab719e3ec8bfadb5a6b0d887da226c31f32b53073ce4f7551514dc53b52d1f72d5b3453ffd40df9ab3c115699f70d373981a57904d6118ab5efd86c1fbcd2d2b5082ed3eed1b1d9aac9bc0e063358d0e64c678b54981ec358499f6425a1cdf4b2c3022c6b39f78a61b2e4d82108468207598a545a394704be90a3f29b185e94d410b691c1229099dfdf6ac770e2d970ce1105114b88bf08a77a5a7cdad7c6457e625896d7e2283a5f1a9589feaaeacc2c93c02761096db344f954cd8eb6aa3bd0352f656f7d01933b73d367cabb92e57493a9eebdb8d4532c7d4ab895c63ce180b24bfe225e689865f2e311f490cc74f9ccbcbc555079f35dc1912c187ffed28406449a89d50b49abc4b94e187da535da0bdddbbb7d7ead9b98e4caf004ce6789200171cfddff96d8c9a3409c34ac3b64034503bc2c17432e2c0069bee66978b6767e42616daccfd9576e1fd9949aa0fc5579fb1055edde2f1e0996b20bf29787cb97bf19c441ded0575359378a38195db097298e0ed59832274d6a5f2c4263ee06b3d8e18230d44a46f33410f7eba33dd3fc8c36eb30c98fa6971b328b47b7a57a7a95a41010fb6938e17d7b89eb195b87059367b61cea769c7f7bad880e4c4593f592508ff1778d441fc5098e51febdef0f42fda3a2e6c61639e8c394e43853f77ff53d09b7ee171cbf4fd1fa2a87ce1e1b9351559a4d01a47fb8002d6ac1e23a1666aa8f204521f11d87e518183f96e6106dd31af923531c4775067c25297657fc0f0d1c235fdc8b8c09d735d0b7af5657abdbc41e09221b8ad35c0f6211e4aa4091471832d895f0076848e95d199df6454ca9f401a3b045604f59c3e2705e70650d5eababd53c4152fba81f2c81f32a91159dc13715518b17fae5329fbb36ad9971316f291d1bf5f802d7dd017e9572260fb4b0edf0d90f1ec33dffcaee692a9a86109a07e1469f524e42d07e58a47b320fdbcc9335fd2645749ce9164b5bf0a8e91d16dc6996fa7f615198c522b20a4502495937f501c2e260b0089d36bb91d580dee1a8cdfd1a6a342a79ef07c5f27dadc6504bf96c84e2ecbdae54d2f197a147a859f6cf6412a4b8a59f91add2cdfa09d9a750fabfe862a61db8aa45e295dfd78735fc33f8ab92303c637161fdf4bf0223caa11e01635beabdfdb4b2c9168c675f1d6ae8aac06a9d5ebefaf7f40d866c0', '2026-11-25 13:52:40.925+00', '2026-11-25 13:52:40.925+00', NULL);
INSERT INTO public.issuer_keys VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'WRwLAlL8exvtIVwnkT1BfmTJOFCKXSu2a9ekaDrv0Ak', 'RS256', '\x01ec6ff36875a1ad3f360535710fa87c301ef662a96e844ab2fbc8e876748eed0171b257f09c80fb97f548cdcb8f736a679e14176eb4bdb805806e94cbeea4e57ad90bbcdf1edd29e23908250a05eb07ebc4955fab8ccd8e44bb3e02ca1d3932089697e0fcae74cb69c1222e8a75e1e1e6e164894779b8a64d178d1beb93eb9e0585b94954b6357366498b9e22c1a7e53f4a98d6fc3da8a2c0719d939cd4a88bcf7ce33dde8e322c04639c258cf1c9762b445e9448bafc685dbc3a75376e60018ee33b532a3ec12cc664eb440bea517f411d462c494f4a00c95bb9af38d8181d2f87d240230ecee1a6d4964757d432bcab50776ce9bff19dab33c00420f5a30a25572972929a553171de053ed9581848971b724c809f1a6a698b25c144571c302a7bad7dc2a0430f41ac620490a880fc1a8db7cb63d87738ebdcd1240e30d3bebd504c9d411ad40070a9b68b66c22b5410abb0cd0f18ddbaefe4e3dadd113c7d5466ec3ba323c4fec7896920ca29a3b597b3f6abfa6773784bf982d5a23cde3f3f5dcd81b001d76aad0e659f2e4c7c3d7545535025ca871d31a260c24b8260bfe8a3d598d9eeb25c06b5c7b816ac0224ed4d92e037c7c9bdd88d5834e7d213dad577c37d75513c5aa5ba2ce433a6e44421fea53033f14a0c0941d16692c37aedd00af180d2634ee6d6c8d76a88d0ac31de14118d2ce6c3846818a2e9aa30257643e3cf7d5b66fe0cd0ea34bf1382b6b5c414f0e9e627c98b367b094b9b321e1c24d2bbd46463cbaae249be07fad4f0cade888e6201f85d4d0986d0ee0be23604531f20fa7957c9046e1766a46c3d35c016a9a70d69b3a879d1a106d1684884bcc49c668f3333b99af56def18ee8e7fb1ce4004f2a0741836dc4858ab217a2052c6e23d7308567f32873184073f29e92e79eea786168ea3aec4d4a5dec3696a81faed32e6ee8a1e7e03acce1f05690c97c1615ba43fa0bc09e309f37473b4b7e7cc6e2796c15b672f5c84f3e5620278585f79a9b692cf344a5fe238109b4bad3dca110a894a56740c00ad2c4f499f4646341941a4312937d1d4d5fd774b6534a3615b9aa51da4de71f22fc1e7340d62fa224a68207dffd3ca93e487a6cc270a270860db2a58e053416bb49bd906bb7010fd8bd86976b30cabe9946518ef59d7c924924197328f9b208e42d5d0d8f5600c9a69672a83f549b1fac6cd026069a5ad380319c0321ffc398f24aa52825251faaef7b35aadca3c1d95dd512e87122ef4c679de974a87dd6ecc4051a1c8ceb8e3053ac6ae9d1db6f31d59ee4f2ea01ed98a195b4603363c34d87cec13bde1440c8b0b59ea740f6200679bb812cbf1998015596b3e27ddc443473466342486ddf6f2d158b88edb135f2134fe387b7a3cd199f13c56557238abff5f9279e945f77c4f5ce70ec606e4ca9ae34b7a0ba28b5ba5db16b531a4e84aacbc9725d2fe89590d5b402962972acd6a8b72f22e381291e67cdfff39d2f32aeaaa30d139734ffe3ebfc8e043d6a3e753e1af404f8affee317ad4522bd87606eb4c38fd6cc2eb2987cb1deb85b0d758a0b23d232f63cc456cab67686d6fa600cda4c1e46e5aab406025864e5ef4b13a0996f11dc1c4cc8cef28f8565deabafd8254c9fe5d800924e956f6bf62ea3d5edf8a7ec5a4a734d72409ea336218addaa304de963a5b6650d32999d7511bb10b6e7246a46e93a4385ef38f1375e215bd2c0110eedcf45850767f35f585632a470f8f1a4227568d832a8cbc8536e35bca', '2026-11-25 13:52:40.925+00', NULL, NULL);


--
-- Data for Name: issuer_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_sessions VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'ucA8hlwtWpeEmtDPk76cjvuMT8WPcGWO4cLCrgoNUWA', '\xfed0443f1eb3009afd8ad785f1652c99cf0a4e7d62aad318ee6a9b4f60ea37b8', '01a212fa-eabb-70ef-bd9c-bfebfff6a385', '01a212fa-dddb-7032-916d-2e52fe93a198', '[{"handle":{"type":"EmailAddress","value":"ada@gmail.com"},"method":"oidc","timestamp":"2026-11-25T13:52:43.707Z"}]', '{"iat":1795614763,"exp":1796824363,"kind":"Session","uid":"ucA8hlwtWpeEmtDPk76cjvuMT8WPcGWO4cLCrgoNUWA","accountId":"01a212fa-eabb-70ef-bd9c-bfebfff6a385","loginTs":1795614763,"authorizations":{"01a212fa-de15-73c4-b2a5-24146f800436":{"sid":"Z1cL3dFOTnLPR0zYf1zwBr3337fFLjKRUS08XwqU0QW","grantId":"g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X","persistsLogout":true}}}', '2026-12-09 13:52:43.707+00');


--
-- Data for Name: issuer_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_tokens VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '\xf98497ff35bb1bc0580431a405cdb00bd506bb47d3d2bc18374f3092e8056424', 'AuthorizationCode', 'g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X', '{"iat":1795614763,"exp":1795614823,"accountId":"01a212fa-eabb-70ef-bd9c-bfebfff6a385","authTime":1795614763,"codeChallenge":"9GA0WlxvORkfQmLAfacfShXY_ylBjPPylHQsBjq76WA","codeChallengeMethod":"S256","grantId":"g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X","nonce":"iimCXp0oOpD0vNO52nfsGPyI-_qKhPMRpo4A-KRreGo","redirectUri":"https://app.test/callback","scope":"openid offline_access","sessionUid":"ucA8hlwtWpeEmtDPk76cjvuMT8WPcGWO4cLCrgoNUWA","kind":"AuthorizationCode","clientId":"01a212fa-de15-73c4-b2a5-24146f800436"}', '2026-11-25 13:52:43.929346+00', 1, '2026-11-25 13:53:43.852+00');
INSERT INTO public.issuer_tokens VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '\x5074b47be647b61d8947695c5624588fdb8924b0d0b9e7dc5f1f5bc4d85f448f', 'AccessToken', 'g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X', '{"iat":1795614763,"exp":1795618363,"accountId":"01a212fa-eabb-70ef-bd9c-bfebfff6a385","grantId":"g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X","gty":"authorization_code","sessionUid":"ucA8hlwtWpeEmtDPk76cjvuMT8WPcGWO4cLCrgoNUWA","kind":"AccessToken","clientId":"01a212fa-de15-73c4-b2a5-24146f800436","scope":"openid offline_access"}', NULL, 0, '2026-11-25 14:52:43.901+00');
INSERT INTO public.issuer_tokens VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '\xf0b7b7f283bf6725e0a64af43d2075035799bf12a36c0963073b9aa76d63e9c2', 'RefreshToken', 'g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X', '{"iat":1795614763,"exp":1798206763,"accountId":"01a212fa-eabb-70ef-bd9c-bfebfff6a385","authTime":1795614763,"grantId":"g24k5wBsnOA1quXygKjJSrZp34lXHWepEw0JSwVLb_X","gty":"authorization_code","nonce":"iimCXp0oOpD0vNO52nfsGPyI-_qKhPMRpo4A-KRreGo","rotations":0,"scope":"openid offline_access","sessionUid":"ucA8hlwtWpeEmtDPk76cjvuMT8WPcGWO4cLCrgoNUWA","kind":"RefreshToken","clientId":"01a212fa-de15-73c4-b2a5-24146f800436","iiat":1795614763}', NULL, 0, '2026-12-25 13:52:43.901+00');


--
-- Data for Name: lanes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lanes VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ea-751d-a8c6-29a10675e4a7', 'infinity', 0, 1, false, NULL, false, false, NULL, '-infinity', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7fe-7672-91f8-e06c42afc1cc', 'infinity', 0, 1, false, '01a212fa-da84-7223-bc74-e28b6b88a519', false, false, NULL, '-infinity', NULL, '2026-11-25 13:52:43.191+00');
INSERT INTO public.lanes VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ec69-726c-945d-39c1468a9fc9', 'infinity', 1, 1, true, '01a212fa-da84-7223-bc74-e28b6b88a519', false, false, NULL, '-infinity', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7e4-70f7-be7e-4612fd0edcce', '2026-11-25 13:52:43.103+00', 0, 1, false, NULL, false, false, NULL, '-infinity', 'requested', '-infinity');
INSERT INTO public.lanes VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', '2026-11-25 13:52:44.527+00', 0, 1, false, '01a212fa-da84-7223-bc74-e28b6b88a519', false, true, '2026-11-25 13:52:43.36+00', '2026-11-25 13:52:44.128+00', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', '2026-11-25 13:52:44.527+00', 1, 81, false, '01a212fa-da84-7223-bc74-e28b6b88a519', true, false, NULL, '-infinity', NULL, '-infinity');


--
-- Data for Name: memberships; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memberships VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eabb-70ef-bd9c-bfebfff6a385', 'engineering');


--
-- Data for Name: oidc_credentials; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oidc_credentials VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-dddb-7032-916d-2e52fe93a198', 'signet', 'provider_a', '\x01ec6ff36875a1ad3f09c82c8ce2456526185d8bb05cc7f86ba7d5df8200fcd1a6f0950f50b05a769191d997c8802b12abe7daf76b081fb380ca09b94ec3e62dc39dc3093134752b6148825953', '', '', '{}', NULL, 1);


--
-- Data for Name: organizations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.organizations VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'Kept', 'unlimited', true, '{}', false, '2026-11-25 13:52:40.287+00', NULL);


--
-- Data for Name: persons; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.persons VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eabb-70ef-bd9c-bfebfff6a385', true, 'local', '2026-11-25 13:52:43.776+00');
INSERT INTO public.persons VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ebed-7492-90bc-16014c5664d2', true, 'local', '2026-11-25 13:52:44.024+00');
INSERT INTO public.persons VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-eddf-7447-8213-3fd2326429fd', true, 'local', '2026-11-25 13:52:44.511+00');


--
-- Data for Name: schema_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migrations VALUES ('0001_organizations.sql', 'baf686cdaa07792d2898d0451f26e593aaba1cbb6bcf3eca40ee81345279272e', false, '2026-11-25 13:52:23.802716+00');
INSERT INTO public.schema_migrations VALUES ('0002_verification_keys.sql', 'fbc62c6a79309cd758848fac512588be881b575dcea2126ccf29a0a07bf1ecd2', false, '2026-11-25 13:52:23.817335+00');
INSERT INTO public.schema_migrations VALUES ('0003_groups_and_persons.sql', '01ae7cdb67faef589fca2540d10141a90fa7ab3d1b8591ca879b7bad4eb5c3ac', false, '2026-11-25 13:52:23.82744+00');
INSERT INTO public.schema_migrations VALUES ('0004_webhooks.sql', 'a6f0b6ffcde81fd57f1ae90a0e1603cf98df888fe974622756e573da71072a54', false, '2026-11-25 13:52:23.861228+00');
INSERT INTO public.schema_migrations VALUES ('0005_events.sql', '6a4a5696d11b33bc8e8403e387b722619ee8a307c6a5adc3c5867772510fe354', false, '2026-11-25 13:52:23.880537+00');
INSERT INTO public.schema_migrations VALUES ('0006_deliveries.sql', 'bd0c7ff3a83334e6c7d00b0ab38d6f777c8c3bb8039f1c4200ec50db9f2029da', false, '2026-11-25 13:52:23.896508+00');
INSERT INTO public.schema_migrations VALUES ('0007_credentials_and_applications.sql', 'c4a0f209e4cede31d33542d29fb6145042533fa3d6d2ca2640b983bcc9f66fe4', false, '2026-11-25 13:52:23.923034+00');
INSERT INTO public.schema_migrations VALUES ('0008_issuer.sql', '7a2de6cb4f9555dbb50d26404061d966ad69356af52049b6bf1e66e60682d65b', false, '2026-11-25 13:52:23.94053+00');
INSERT INTO public.schema_migrations VALUES ('0009_sign_in.sql', '90c68147898f84bc424d292f1af7caf4b8f8504b32a6caa2792241315b134144', false, '2026-11-25 13:52:23.976508+00');


--
-- Data for Name: signing_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_keys VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '_ASL74UkufSer26zb42yRHRvnm_D3c07-4wcZSNPA98', '{"alg":"ES256","crv":"P-256","key_ops":["verify"],"kid":"_ASL74UkufSer26zb42yRHRvnm_D3c07-4wcZSNPA98","kty":"EC","use":"sig","x":"b_6vd8w03vP-Yt8XlqFnBpT7KipFNmCfnxQaHtpUoaA","y":"zczRT-5Iq3IA6BDDysDAY33cqe6sMERveMV2fn0LD7M"}', '\x01ec6ff36875a1ad3f694595a372a82e8b69e66935781239a9c9fd124e2f677fce148262c4d8eab9bc0a4f4471ba0f0416084d87f03c2441214ca5cc0fdf89a5ec910edac87741f67a2bcbd2fec04025aea8279cbee0d6be24b81ceb042270ad58577f7e11873b29fe7883dea15f211e29a28f45618afb83a45e9ef42b98d54719b204e5a3256907dbaa8df592376073b6e89459121eaa0b319147f5f92822ef24a66d99680d56c975e1e3a3fc7b4d', '2026-11-25 13:52:40.295+00', '2026-11-25 13:52:40.295+00', NULL);
INSERT INTO public.signing_keys VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 'AGRVaenBbhjhFaHOkVawnqkQl_mh8ntSpBMjBXydWKc', '{"alg":"ES256","crv":"P-256","key_ops":["verify"],"kid":"AGRVaenBbhjhFaHOkVawnqkQl_mh8ntSpBMjBXydWKc","kty":"EC","use":"sig","x":"cvBCk8xT7bM8aUPf7qCwQLSUCfhlAun8u8l_QnnxJDg","y":"9Hb-ZLJaYZfJacN8OWNHpaAt_4tAT4RV8GAcrZl5kms"}', '\x01ec6ff36875a1ad3f3ce886e38408e1378e59954ad983267ad9a537b7d5c5c77b8aa7d9974a6ada459430bf094a64969880238bee149234782a4e9cc7e449a86a38f92d634596bddbc13394baa5ec38d423ac7c395be12a39fe4bd288a4acbe6f5799b34522ded0a46eaa0430b234d2c0144754cfa8ecfa31976e14c324a8bec24109256d66fdd58af0f3c5e4147ba67055ffdef5827c3f27a368287d680d32c99a944bbbcd88608000e4a71a2621', '2026-11-25 13:52:40.295+00', NULL, NULL);


--
-- Data for Name: test_event_allowances; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.test_event_allowances VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', 99999, '2026-11-25 13:52:44.145+00');


--
-- Data for Name: triggers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', 'event', 'AuthenticationSucceeded_v1', 'fail', '2026-11-25 13:52:42.937+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', 'event', 'AuthenticationFailed_v1', 'fail', '2026-11-25 13:52:42.944+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', 'event', 'VirtualPageLoaded_v1', 'fail', '2026-11-25 13:52:42.95+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 13:52:42.956+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', 'event', 'PersonDeleted_v1', 'fail', '2026-11-25 13:52:42.961+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 13:52:42.974+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7e4-70f7-be7e-4612fd0edcce', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 13:52:42.984+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ea-751d-a8c6-29a10675e4a7', 'sync_hook', 'token_minted', 'fail', '2026-11-25 13:52:42.997+00');
INSERT INTO public.triggers VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ec69-726c-945d-39c1468a9fc9', 'event', 'PersonDeleted_v1', 'fail', '2026-11-25 13:52:44.142+00');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ac-773a-b021-15b3594b2743', 'https://receiver.test:39845/events', 'https://receiver.test:39845/events', 'Test webhook', '', '\x01ec6ff36875a1ad3fa37c3a35642f6d43aa25074c47dbefe30389b8609b957afdac790c66d5f3b80bbf2064d99dba510f99addfe627b161e4c7112e8e80984e64c2ccb19daebd4d3abf62d36d69ac328bc08d7c63', 0, '2026-11-25 13:52:42.924+00');
INSERT INTO public.webhooks VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7d7-72ff-82b7-a9e4ce5d4117', 'https://receiver.test:39845/failing', 'https://receiver.test:39845/failing', 'Test webhook', '', NULL, 0, '2026-11-25 13:52:42.967+00');
INSERT INTO public.webhooks VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7ea-751d-a8c6-29a10675e4a7', 'https://receiver.test:39845/hook', 'https://receiver.test:39845/hook', 'Test webhook', '', NULL, 0, '2026-11-25 13:52:42.986+00');
INSERT INTO public.webhooks VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7e4-70f7-be7e-4612fd0edcce', 'https://receiver.test:39845/paused', 'https://receiver.test:39845/paused', 'Test webhook', '', NULL, 0, '2026-11-25 13:52:42.98+00');
INSERT INTO public.webhooks VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-e7fe-7672-91f8-e06c42afc1cc', 'https://receiver.test:39845/removed', 'https://receiver.test:39845/removed', 'Test webhook', '', NULL, 0, '2026-11-25 13:52:43.006+00');
INSERT INTO public.webhooks VALUES ('01a212fa-dd5f-77d4-b03b-61d79d9c4b73', '01a212fa-ec69-726c-945d-39c1468a9fc9', 'https://receiver.test:39845/hanging', 'https://receiver.test:39845/hanging', 'Test webhook', '', NULL, 0, '2026-11-25 13:52:44.137+00');


--
-- Data for Name: workers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.workers VALUES ('01a212fa-da84-7223-bc74-e28b6b88a519', '2026-11-25 13:52:40.071176+00', NULL);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (org_id, id);


--
-- Name: applications applications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_pkey PRIMARY KEY (org_id, client_id);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (org_id, webhook_id, event_id) WITH (fillfactor='50');


--
-- Name: delivery_counts delivery_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.delivery_counts
    ADD CONSTRAINT delivery_counts_pkey PRIMARY KEY (org_id, webhook_id, day, status);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (org_id, id);


--
-- Name: events_20261125 events_20261125_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events_20261125
    ADD CONSTRAINT events_20261125_pkey PRIMARY KEY (org_id, id);


--
-- Name: finished_deliveries finished_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries
    ADD CONSTRAINT finished_deliveries_pkey PRIMARY KEY (org_id, webhook_id, event_id);


--
-- Name: finished_deliveries_20261125 finished_deliveries_20261125_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries_20261125
    ADD CONSTRAINT finished_deliveries_20261125_pkey PRIMARY KEY (org_id, webhook_id, event_id);


--
-- Name: flows flows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.flows
    ADD CONSTRAINT flows_pkey PRIMARY KEY (org_id, id);


--
-- Name: former_identities former_identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_identities
    ADD CONSTRAINT former_identities_pkey PRIMARY KEY (org_id, provider, issuer, subject_hash, person_id);


--
-- Name: groups groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (org_id, name);


--
-- Name: handles handles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handles
    ADD CONSTRAINT handles_pkey PRIMARY KEY (org_id, type, key);


--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (org_id, id);


--
-- Name: installation installation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);


--
-- Name: issuer_grants issuer_grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_pkey PRIMARY KEY (org_id, id);


--
-- Name: issuer_interactions issuer_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_pkey PRIMARY KEY (org_id, uid);


--
-- Name: issuer_keys issuer_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_keys
    ADD CONSTRAINT issuer_keys_pkey PRIMARY KEY (org_id, kid);


--
-- Name: issuer_sessions issuer_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_sessions
    ADD CONSTRAINT issuer_sessions_pkey PRIMARY KEY (org_id, uid);


--
-- Name: issuer_tokens issuer_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_tokens
    ADD CONSTRAINT issuer_tokens_pkey PRIMARY KEY (org_id, id_hash);


--
-- Name: lanes lanes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (org_id, webhook_id);


--
-- Name: memberships memberships_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (org_id, person_id, group_name);


--
-- Name: oidc_credentials oidc_credentials_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oidc_credentials
    ADD CONSTRAINT oidc_credentials_pkey PRIMARY KEY (org_id, id);


--
-- Name: organizations organizations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);


--
-- Name: persons persons_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.persons
    ADD CONSTRAINT persons_pkey PRIMARY KEY (org_id, id);


--
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);


--
-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (org_id, kid);


--
-- Name: test_event_allowances test_event_allowances_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_event_allowances
    ADD CONSTRAINT test_event_allowances_pkey PRIMARY KEY (org_id);


--
-- Name: triggers triggers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_pkey PRIMARY KEY (org_id, webhook_id, type, name);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (org_id, id);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: api_keys_by_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX api_keys_by_hash ON public.api_keys USING btree (org_id, key_hash);


--
-- Name: applications_by_origin; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX applications_by_origin ON public.applications USING gin (public.origins_of(redirect_uris));


--
-- Name: deliveries_available; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_available ON public.deliveries USING btree (org_id, webhook_id, public.priority_in_lane(trigger_name), available_at) WHERE (NOT is_leased);


--
-- Name: deliveries_leased; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_leased ON public.deliveries USING btree (available_at) WHERE is_leased;


--
-- Name: delivery_counts_by_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_counts_by_day ON public.delivery_counts USING btree (day);


--
-- Name: finished_deliveries_unsuccessful_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_unsuccessful_by_time ON ONLY public.finished_deliveries USING btree (finished_at) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_20261125_finished_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_20261125_finished_at_idx ON public.finished_deliveries_20261125 USING btree (finished_at) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_unsuccessful; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_unsuccessful ON ONLY public.finished_deliveries USING btree (org_id, webhook_id, status, event_id) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_20261125_org_id_webhook_id_status_event_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_20261125_org_id_webhook_id_status_event_idx ON public.finished_deliveries_20261125 USING btree (org_id, webhook_id, status, event_id) WHERE (status <> 'succeeded'::text);


--
-- Name: flows_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX flows_by_expiry ON public.flows USING btree (expires_at);


--
-- Name: flows_by_interaction; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX flows_by_interaction ON public.flows USING btree (org_id, interaction_uid);


--
-- Name: flows_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX flows_by_state ON public.flows USING btree (org_id, state_hash) WHERE (state_hash IS NOT NULL);


--
-- Name: former_identities_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX former_identities_by_person ON public.former_identities USING btree (org_id, person_id, issuer);


--
-- Name: handles_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handles_by_person ON public.handles USING btree (org_id, person_id);


--
-- Name: identities_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX identities_by_person ON public.identities USING btree (org_id, person_id, issuer);


--
-- Name: identities_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX identities_by_subject ON public.identities USING btree (org_id, provider, issuer, subject);


--
-- Name: issuer_grants_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_expiry ON public.issuer_grants USING btree (expires_at);


--
-- Name: issuer_grants_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_person ON public.issuer_grants USING btree (org_id, person_id);


--
-- Name: issuer_grants_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_session ON public.issuer_grants USING btree (org_id, session_uid) WHERE (session_uid IS NOT NULL);


--
-- Name: issuer_interactions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_interactions_by_expiry ON public.issuer_interactions USING btree (expires_at);


--
-- Name: issuer_interactions_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_interactions_by_person ON public.issuer_interactions USING btree (org_id, person_id) WHERE (person_id IS NOT NULL);


--
-- Name: issuer_keys_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_keys_by_age ON public.issuer_keys USING btree (signs_from) WHERE (withdrawn_at IS NULL);


--
-- Name: issuer_keys_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_keys_current ON public.issuer_keys USING btree (org_id, alg) WHERE ((signs_from IS NOT NULL) AND (withdrawn_at IS NULL));


--
-- Name: issuer_keys_next; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_keys_next ON public.issuer_keys USING btree (org_id, alg) WHERE (signs_from IS NULL);


--
-- Name: issuer_keys_withdrawn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_keys_withdrawn ON public.issuer_keys USING btree (withdrawn_at) WHERE (withdrawn_at IS NOT NULL);


--
-- Name: issuer_sessions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_sessions_by_expiry ON public.issuer_sessions USING btree (expires_at);


--
-- Name: issuer_sessions_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_sessions_by_id ON public.issuer_sessions USING btree (org_id, id_hash);


--
-- Name: issuer_sessions_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_sessions_by_person ON public.issuer_sessions USING btree (org_id, person_id);


--
-- Name: issuer_tokens_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_tokens_by_expiry ON public.issuer_tokens USING btree (expires_at);


--
-- Name: issuer_tokens_by_grant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_tokens_by_grant ON public.issuer_tokens USING btree (org_id, grant_id);


--
-- Name: lanes_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lanes_due ON public.lanes USING btree (healthy, ((failing AND (NOT healthy))), next_due_at) WHERE (paused_reason IS NULL);


--
-- Name: memberships_by_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memberships_by_group ON public.memberships USING btree (org_id, group_name, person_id);


--
-- Name: oidc_credentials_by_client_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX oidc_credentials_by_client_id ON public.oidc_credentials USING btree (org_id, client_id);


--
-- Name: organizations_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX organizations_deleted ON public.organizations USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);


--
-- Name: signing_keys_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signing_keys_by_age ON public.signing_keys USING btree (signs_from) WHERE (withdrawn_at IS NULL);


--
-- Name: signing_keys_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_keys_current ON public.signing_keys USING btree (org_id) WHERE ((signs_from IS NOT NULL) AND (withdrawn_at IS NULL));


--
-- Name: signing_keys_next; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_keys_next ON public.signing_keys USING btree (org_id) WHERE (signs_from IS NULL);


--
-- Name: signing_keys_withdrawn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signing_keys_withdrawn ON public.signing_keys USING btree (withdrawn_at) WHERE (withdrawn_at IS NOT NULL);


--
-- Name: triggers_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX triggers_by_name ON public.triggers USING btree (name, org_id, webhook_id);


--
-- Name: webhooks_by_target; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX webhooks_by_target ON public.webhooks USING btree (org_id, target_key) WHERE (target_key <> ''::text);


--
-- Name: events_20261125_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261125_pkey;


--
-- Name: finished_deliveries_20261125_finished_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_unsuccessful_by_time ATTACH PARTITION public.finished_deliveries_20261125_finished_at_idx;


--
-- Name: finished_deliveries_20261125_org_id_webhook_id_status_event_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_unsuccessful ATTACH PARTITION public.finished_deliveries_20261125_org_id_webhook_id_status_event_idx;


--
-- Name: finished_deliveries_20261125_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_pkey ATTACH PARTITION public.finished_deliveries_20261125_pkey;


--
-- Name: api_keys api_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: applications applications_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: flows flows_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.flows
    ADD CONSTRAINT flows_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: former_identities former_identities_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_identities
    ADD CONSTRAINT former_identities_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: groups groups_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: handles handles_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handles
    ADD CONSTRAINT handles_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: identities identities_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_grants issuer_grants_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_grants issuer_grants_org_id_session_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_org_id_session_uid_fkey FOREIGN KEY (org_id, session_uid) REFERENCES public.issuer_sessions(org_id, uid) ON DELETE CASCADE;


--
-- Name: issuer_interactions issuer_interactions_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: issuer_interactions issuer_interactions_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_keys issuer_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_keys
    ADD CONSTRAINT issuer_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: issuer_sessions issuer_sessions_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_sessions
    ADD CONSTRAINT issuer_sessions_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_tokens issuer_tokens_org_id_grant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_tokens
    ADD CONSTRAINT issuer_tokens_org_id_grant_id_fkey FOREIGN KEY (org_id, grant_id) REFERENCES public.issuer_grants(org_id, id) ON DELETE CASCADE;


--
-- Name: lanes lanes_org_id_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES public.webhooks(org_id, id) ON DELETE CASCADE;


--
-- Name: memberships memberships_org_id_group_name_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_group_name_fkey FOREIGN KEY (org_id, group_name) REFERENCES public.groups(org_id, name) ON DELETE CASCADE;


--
-- Name: memberships memberships_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: oidc_credentials oidc_credentials_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oidc_credentials
    ADD CONSTRAINT oidc_credentials_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: persons persons_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.persons
    ADD CONSTRAINT persons_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: signing_keys signing_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: test_event_allowances test_event_allowances_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_event_allowances
    ADD CONSTRAINT test_event_allowances_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: triggers triggers_org_id_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES public.webhooks(org_id, id) ON DELETE CASCADE;


--
-- Name: webhooks webhooks_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- PostgreSQL database dump complete
--

\unrestrict SnjyMHIz2Imoq64mgaK71dFjTTX3obrNkatb9i1gpeZXE6hhOr1BITNW1Qd2y5P

