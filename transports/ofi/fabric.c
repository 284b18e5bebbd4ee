//go:build ofi && cgo

#include "fabric.h"
#include <signal.h>
#include <string.h>

struct fabric_table fabric;

#define NAME(f, v) #f v,
const char *const fabric_names[] = { FABRIC_FUNCTIONS(NAME) NULL };
#undef NAME

// The library's part of a slot.
struct part {
	struct fi_context2 context; // first: providers return its address
	struct fid_mr *mr;
};
_Static_assert(sizeof(struct part) <= sizeof((struct tagged_slot *)0)->room, "a slot has no room for libfabric");

static struct part *part(struct tagged_slot *s) { return (struct part *)s->room; }

static void release(struct tagged_slot *s)
{
	if (part(s)->mr)
		fi_close(&part(s)->mr->fid);
	part(s)->mr = NULL;
}

static int ended(struct tagged_slot *s, int status)
{
	release(s);
	tagged_done(s, status);
	return 1;
}

static int take_error(struct gb_ofi *o)
{
	struct fi_cq_err_entry e = { .err_data_size = 0 };
	if (fi_cq_readerr(o->cq, &e, 0) != 1)
		return 0;
	if (e.op_context == &o->peek) {
		o->peeking = 0;
		return 1;
	}
	struct tagged_slot *s = e.op_context;
	if (!s)
		return 1;
	switch (abs(e.err)) { // shm of 1.17 has the sign of its functions
	case FI_ETRUNC:
		s->tag = e.tag;
		s->length = e.len + e.olen;
		return ended(s, TAGGED_TRUNCATED);
	case FI_ECANCELED:
		return ended(s, TAGGED_CANCELLED);
	case FI_ENOMEM:
		return ended(s, TAGGED_LOCAL);
	default:
		return ended(s, e.err ? -abs(e.err) : -FI_EOTHER);
	}
}

static int progress(void *library)
{
	enum { BATCH = 16 };
	struct gb_ofi *o = library;
	struct fi_cq_tagged_entry entries[BATCH];
	ssize_t n = fi_cq_read(o->cq, entries, BATCH);
	if (n == -FI_EAVAIL)
		return take_error(o);
	for (ssize_t i = 0; i < n; i++) {
		struct tagged_slot *s = entries[i].op_context;
		if ((void *)s == &o->peek) {
			o->peeking = 2;
			o->found = entries[i].tag;
			o->length = entries[i].len;
			continue;
		}
		if (s->kind == TAGGED_RECEIVE || s->kind == TAGGED_CONTROL_RECEIVE) {
			s->tag = entries[i].tag;
			s->length = entries[i].len;
		}
		ended(s, TAGGED_FINE);
	}
	return n > 0;
}

// descriptor registers a buffer for one operation, if the provider requires it.
static int descriptor(struct gb_ofi *o, struct tagged_slot *s, const void *b, size_t n, uint64_t access, void **d)
{
	part(s)->mr = NULL;
	*d = NULL;
	if (!o->local || !n)
		return 0;
	if (fi_mr_reg(o->domain, b, n, access, 0, o->next_key++, 0, &part(s)->mr, NULL))
		return TAGGED_LOCAL;
	*d = fi_mr_desc(part(s)->mr);
	return 0;
}

static int refused(ssize_t e) { return e == -FI_EAGAIN ? TAGGED_BUSY : e == -FI_ENOMEM ? TAGGED_LOCAL : (int)e; }

static int began(struct tagged_slot *s, ssize_t e)
{
	if (e == 0)
		return TAGGED_BEGAN;
	release(s);
	return refused(e);
}

static int send_tagged(void *library, int peer, const void *b, uint64_t n, uint64_t tag, struct tagged_slot *s)
{
	struct gb_ofi *o = library;
	void *d;
	// A control message must not complete before the network has it, because the sender may close
	// then.
	if (n <= o->inject && s->kind == TAGGED_SEND) {
		ssize_t e = fi_tinject(o->ep, b, n, o->peers[peer], tag);
		return e == 0 ? TAGGED_DONE : refused(e);
	}
	int e = descriptor(o, s, b, n, FI_SEND, &d);
	return e ? e : began(s, fi_tsend(o->ep, b, n, d, o->peers[peer], tag, s));
}

// access starts an operation on memory of a peer. A put ends when it is in place there.
static int access_memory(void *library, enum tagged_access kind, void *key, struct tagged_slot *s)
{
	struct gb_ofi *o = library;
	uint64_t remote_key = *(uint64_t *)key;
	fi_addr_t peer = o->peers[s->peer];
	void *d;
	if (kind == TAGGED_FLUSH)
		return TAGGED_DONE;
	int e = descriptor(o, s, s->buffer, s->size, kind == TAGGED_PUT ? FI_WRITE : FI_READ, &d);
	if (e)
		return e;
	struct iovec local = { s->buffer, s->size };
	struct fi_rma_iov remote = { s->wanted, s->size, remote_key };
	struct fi_msg_rma m = { &local, &d, 1, peer, &remote, 1, s, 0 };
	// The provider reads operands until the operation ends. They are not registered, so providers
	// that require registered buffers are refused for atomic operations.
	s->control[0] = s->mask;
	s->control[1] = s->mask + 1;
	switch (kind) {
	case TAGGED_PUT:
		return began(s, fi_writemsg(o->ep, &m, FI_DELIVERY_COMPLETE));
	case TAGGED_GET:
		return began(s, fi_readmsg(o->ep, &m, 0));
	case TAGGED_ADD:
		return began(s, fi_fetch_atomic(o->ep, &s->control[0], 1, NULL, s->buffer, NULL, peer, s->wanted, remote_key, FI_UINT64, FI_SUM, s));
	default:
		return began(s, fi_compare_atomic(o->ep, &s->control[1], 1, NULL, &s->control[0], NULL, s->buffer, NULL, peer, s->wanted, remote_key,
				FI_UINT64, FI_CSWAP, s));
	}
}

static int receive(void *library, void *b, uint64_t n, uint64_t tag, uint64_t mask, struct tagged_slot *s)
{
	struct gb_ofi *o = library;
	void *d;
	int e = descriptor(o, s, b, n, FI_RECV, &d);
	return e ? e : began(s, fi_trecv(o->ep, b, n, d, FI_ADDR_UNSPEC, tag, ~mask, s));
}

static int probe(void *library, uint64_t tag, uint64_t mask, uint64_t *found, uint64_t *length)
{
	enum { POLLS = 1000 };
	struct gb_ofi *o = library;
	struct fi_msg_tagged m = { .addr = FI_ADDR_UNSPEC, .tag = tag, .ignore = ~mask, .context = &o->peek };
	o->peeking = 1;
	if (fi_trecvmsg(o->ep, &m, FI_PEEK) != 0)
		return 0;
	// Providers answer a peek at once. A late answer would be taken for that of a later peek.
	for (int i = 0; o->peeking == 1 && i < POLLS; i++)
		progress(o);
	if (o->peeking != 2)
		return 0;
	*found = o->found;
	*length = o->length;
	return 1;
}

static void cancel(void *library, struct tagged_slot *s)
{
	enum { POLLS = 64 };
	struct gb_ofi *o = library;
	if (fi_cancel(&o->ep->fid, s) == 0)
		for (int i = 0; s->state == TAGGED_PENDING && i < POLLS; i++)
			progress(o);
}

static const char *explain(int e) { return fabric.fi_strerror(-e); }

int gb_ofi_find(const char *provider, const char *address, const char *without, int first, struct fi_info **info)
{
	struct fi_info *hints = fabric.fi_dupinfo(NULL);
	if (!hints)
		return -FI_ENOMEM;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->av_type = FI_AV_TABLE;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	hints->fabric_attr->prov_name = *provider ? strdup(provider) : NULL;
	uint32_t version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION);
	struct fi_info *list = NULL;
	const uint64_t abilities[] = { FI_RMA | FI_ATOMIC, FI_RMA, 0 };
	int e = 0;
	for (int i = first; i < 3; i++) {
		hints->caps = FI_TAGGED | abilities[i];
		e = fabric.fi_getinfo(version, *address ? address : NULL, NULL, *address ? FI_SOURCE : 0, hints, &list);
		// Operands of atomic operations are not registered. With them rxm keeps registrations by
		// key, and refuses the second buffer of soft-RoCE, whose local keys are all 0.
		if (!e && !(i == 0 && list->domain_attr->mr_mode & FI_MR_LOCAL))
			break;
		if (!e)
			fabric.fi_freeinfo(list);
		list = NULL;
	}
	fabric.fi_freeinfo(hints);
	struct fi_info *i = list;
	while (!e && !*provider && i && !strcmp(i->fabric_attr->prov_name, without))
		i = i->next;
	if (!e && !(*info = i ? fabric.fi_dupinfo(i) : NULL))
		e = i ? -FI_ENOMEM : -FI_ENODATA;
	if (list)
		fabric.fi_freeinfo(list);
	return e;
}

static const int signals[] = { SIGBUS, SIGSEGV, SIGINT, SIGTERM };
enum { SIGNALS = sizeof signals / sizeof *signals };

static const char *open_all(struct gb_ofi *o, int *e)
{
	struct fi_info *i = o->info;
	if ((*e = fabric.fi_fabric(i->fabric_attr, &o->fabric, NULL)))
		return "fi_fabric";
	if ((*e = fi_domain(o->fabric, i, &o->domain, NULL)))
		return "fi_domain";
	struct fi_av_attr a = { .type = FI_AV_TABLE, .count = o->ranks };
	if ((*e = fi_av_open(o->domain, &a, &o->av, NULL)))
		return "fi_av_open";
	struct fi_cq_attr c = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE, .size = i->tx_attr->size + i->rx_attr->size };
	if ((*e = fi_cq_open(o->domain, &c, &o->cq, NULL)))
		return "fi_cq_open";
	if ((*e = fi_endpoint(o->domain, i, &o->ep, NULL)))
		return "fi_endpoint";
	if ((*e = fi_ep_bind(o->ep, &o->av->fid, 0)))
		return "fi_ep_bind of the address vector";
	if ((*e = fi_ep_bind(o->ep, &o->cq->fid, FI_TRANSMIT | FI_RECV)))
		return "fi_ep_bind of the completion queue";
	if ((*e = fi_enable(o->ep)))
		return "fi_enable";
	o->address_length = sizeof o->address;
	if ((*e = fi_getname(&o->ep->fid, o->address, &o->address_length)))
		return "fi_getname";
	return NULL;
}

const char *gb_ofi_open(struct gb_ofi **out, struct fi_info *info, int ranks, int *e)
{
	struct gb_ofi *o = calloc(1, sizeof *o);
	if (!o || !(o->peers = calloc(ranks, sizeof *o->peers))) {
		*e = -FI_ENOMEM;
		return "calloc";
	}
	o->ops = (struct tagged_ops){ sizeof o->ops, o, send_tagged, receive, probe, cancel, progress, explain, access_memory };
	o->info = info;
	o->ranks = ranks;
	o->inject = info->tx_attr->inject_size;
	o->local = (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
	*out = o;
	// The provider shm replaces handlers of signals that Go needs.
	struct sigaction handlers[SIGNALS];
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], NULL, &handlers[i]);
	const char *what = open_all(o, e);
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &handlers[i], NULL);
	return what;
}

const char *gb_ofi_connect(struct gb_ofi *o, int rank, const void *address, int *e)
{
	int n = fi_av_insert(o->av, address, 1, &o->peers[rank], 0, NULL);
	*e = n < 0 ? n : -FI_EADDRNOTAVAIL;
	return n == 1 ? NULL : "fi_av_insert";
}

const char *gb_ofi_expose(struct gb_ofi *o, void *b, size_t n, struct fid_mr **mr, uint64_t *address, uint64_t *key, int *e)
{
	uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE;
	if ((*e = fi_mr_reg(o->domain, b, n, access, 0, o->next_key++, 0, mr, NULL)))
		return "fi_mr_reg";
	if (o->info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
		if ((*e = fi_mr_bind(*mr, &o->ep->fid, 0)) || (*e = fi_mr_enable(*mr))) {
			fi_close(&(*mr)->fid);
			return "fi_mr_bind";
		}
	}
	*address = o->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)b : 0;
	*key = fi_mr_key(*mr);
	return NULL;
}

void gb_ofi_conceal(struct fid_mr *mr) { fi_close(&mr->fid); }

void gb_ofi_close(struct gb_ofi *o)
{
	if (!o)
		return;
	struct fid *fids[] = { o->ep ? &o->ep->fid : NULL, o->cq ? &o->cq->fid : NULL, o->av ? &o->av->fid : NULL,
		o->domain ? &o->domain->fid : NULL, o->fabric ? &o->fabric->fid : NULL };
	for (unsigned i = 0; i < sizeof fids / sizeof *fids; i++)
		if (fids[i])
			fi_close(fids[i]);
	if (o->info)
		fabric.fi_freeinfo(o->info);
	free(o->peers);
	free(o);
}
