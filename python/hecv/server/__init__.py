"""A warm server: commands run in processes forked from one that has loaded hecv; `HECV_SERVER` names its socket."""
